// A small catalogue for unit tests, put together as the portal does it.

import { assemble, type Catalogue } from '../src/api/catalogue';
import type { CatalogueFields } from '../src/api/types';

const entry = {
  documentType: 'file',
  status: 'available' as const,
  paths: { graphql: '/files/graphql', introspection: '/introspection/files' },
};

export const field = (displayName: string, type: string, unit: string | null = null) => ({ displayName, type, unit });

export function sampleCatalogue(more: CatalogueFields['fields'] = {}): Catalogue {
  return assemble(
    'files',
    entry,
    {
      fields: {
        file_id: field('File ID', 'keyword'),
        file_type: field('File Type', 'keyword'),
        size: field('Size', 'long', 'B'),
        released_at: field('Released', 'date'),
        is_open: field('Open', 'boolean'),
        title: field('Title', 'text'),
        donors: field('Donors', 'nested'),
        'donors.gender': field('Gender', 'keyword'),
        'donors.age': field('Age', 'integer', 'year'),
        tumour_grade: field('Tumour grade', 'keyword'),
        'tumour-grade': { ...field('Grade of the tumour', 'keyword'), graphqlName: 'tumour_grade_2' },
        _id: field('Id', 'id'),
        ...more,
      },
      meta: { authFiltered: false },
    },
    {
      extended: [],
      table: {
        columns: ['file_id', 'file_type', 'size', 'donors.gender'].map((fieldName) => ({
          fieldName,
          displayName: null,
          displayType: null,
          displayFormat: null,
          show: fieldName !== 'size',
          sortable: true,
          canChangeShow: true,
        })),
        defaultSorting: [{ fieldName: 'file_id', desc: false }],
        rowIdFieldName: 'file_id',
        maxResultsWindow: 100,
      },
      facets: {
        aggregations: ['file_type', 'size', 'title', 'donors__gender', 'tumour_grade_2'].map((fieldName) => ({
          fieldName,
          displayName: null,
          isActive: true,
          show: true,
        })),
      },
      downloads: { maxRows: 100, allowCustomMaxRows: false },
      matchbox: null,
    },
  );
}
