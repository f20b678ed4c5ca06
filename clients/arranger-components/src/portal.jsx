// A portal made of Arranger's components as they are published, put together as portals do.
//
// The address says what it shows: `api` (the address of a catalogue), `type` (its document type), `row` (the field that
// a quick search chooses by), `search` (the fields that it looks in, separated by commas), `bars` and `ranges` (the fields
// of two charts; the charts read the answers of the document type `file` alone).

import { BarChart, ChartsProvider, ChartsThemeProvider } from '@overture-stack/arranger-charts';
import {
  Aggregations, ArrangerDataProvider, Pagination, QuickSearch, SQONViewer, Table, TableContextProvider, Toolbar,
} from '@overture-stack/arranger-components';
import { createRoot } from 'react-dom/client';

const given = new URLSearchParams(window.location.search);
const apiUrl = given.get('api');

async function fetcher({ body, endpoint = 'graphql', endpointTag = '' }) {
  const path = [endpoint, endpointTag].map((part) => part.replace(/^\//, '')).filter(Boolean).join('/');
  const answer = await fetch(`${apiUrl}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const theme = {
  components: {
    // Its letters are those of an entity, which is known only where no fields are named.
    QuickSearch: { DropDownItems: { entityLogo: { enabled: false } } },
    Table: {
      DownloadButton: {
        customExporters: [
          { fileName: 'shown.tsv', function: 'saveTSV', label: 'Shown columns', maxRows: 0 },
          { columns: [], fileName: 'all.tsv', function: 'saveTSV', label: 'All columns', maxRows: 0 },
        ],
      },
    },
  },
};

const chart = { maxBars: 10, theme: { axisBottom: { legend: 'Records' }, axisLeft: { legend: 'Value' } } };
const ranges = [{ key: 'low', from: 0, to: 50 }, { key: 'high', from: 50 }];

function Charts() {
  return (
    <ChartsProvider>
      <ChartsThemeProvider>
        <div className="charts">
          <div className="chart"><BarChart fieldName={given.get('bars')} {...chart} /></div>
          <div className="chart"><BarChart fieldName={given.get('ranges')} ranges={ranges} {...chart} /></div>
        </div>
      </ChartsThemeProvider>
    </ChartsProvider>
  );
}

function Portal() {
  return (
    <ArrangerDataProvider apiUrl={apiUrl} customFetcher={fetcher} documentType={given.get('type')} theme={theme}>
      <aside>
        <QuickSearch displayFieldName={given.get('row')} fieldNames={given.get('search').split(',')} />
        <Aggregations />
      </aside>
      <main>
        <SQONViewer />
        {given.has('bars') && <Charts />}
        <TableContextProvider>
          <Toolbar />
          <Table />
          <Pagination />
        </TableContextProvider>
      </main>
    </ArrangerDataProvider>
  );
}

createRoot(document.getElementById('portal')).render(<Portal />);
