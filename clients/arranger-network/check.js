// Searches a network with the published server of Arranger; its nodes are servers of Cantata.
//
//   node check.js FIELD URL…
//
// Prints what Arranger makes of the answers of the nodes, as JSON for a test.

import { graphql } from 'graphql';
import { createSchemaFromNetworkConfig } from '@overture-stack/arranger-server/dist/network/index.js';

const [field, ...urls] = process.argv.slice(2);

// Arranger reports its progress on standard output, which belongs to the answer.
console.log = console.error;

const networkConfigs = urls.map((url, index) => ({
  displayName: `node ${index}`,
  documentName: 'file',
  documentType: 'file',
  graphqlUrl: `${url}/graphql`,
}));
const schema = await createSchemaFromNetworkConfig({ networkConfigs });
// Without filters: the published package cannot load the library that it checks them with.
const source = `{
  network(aggregations_filter_themselves: true, include_missing: true) {
    nodes { name hits status errors }
    aggregations { ${field} { bucket_count buckets { key doc_count } } }
  }
}`;
const answer = await graphql({ schema, source });
process.stdout.write(JSON.stringify(answer));
