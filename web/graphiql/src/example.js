// The query that the page opens with: some records and a facet of the catalogue that it belongs to.

const GREETING = `# Ctrl+Enter runs a query, Ctrl+Space completes a name.
`;
const COLUMNS = 3;

/**
 * Returns the query for a GraphQL path of a server below `basePath`; without a description of the catalogue, the greeting
 * alone.
 */
export async function exampleFor(path, basePath) {
  const [, catalogue = ''] = /^(.*?)\/graphql(?:\/|$)/i.exec(path.slice(basePath.length)) ?? [];
  try {
    const response = await fetch(basePath + (catalogue ? `${catalogue}/introspection` : '/introspection/fields'));
    return response.ok ? exampleOf(await response.json()) : GREETING;
  } catch {
    return GREETING;
  }
}

function exampleOf({ documentType, fields }) {
  // Names that are the same in GraphQL but for their dots, of fields that can be selected.
  const isSimple = (name) => /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(name) && !['id', 'score'].includes(name);
  const isValue = ({ type, multiFieldOf, graphqlName }) =>
    !['nested', 'object'].includes(type) && !multiFieldOf && !graphqlName;
  const values = Object.keys(fields).filter((name) => isSimple(name) && isValue(fields[name]));
  const flat = (name) => name.replaceAll('.', '__');
  const columns = values.slice(0, COLUMNS).map(flat);
  const facet = values.find((name) => fields[name].type === 'keyword');
  const aggregations = facet ? `
    aggregations {
      ${flat(facet)} { buckets { key doc_count } }
    }` : '';
  return `${GREETING}{
  ${documentType} {
    hits(first: 5) {
      total
      edges { node { ${['id', ...columns].join(' ')} } }
    }${aggregations}
  }
}
`;
}
