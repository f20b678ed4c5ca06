// The page that people get at a GraphQL path. Queries go to the path that the page itself was loaded from, so one page
// serves every catalogue.

import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';

import { storageOf } from './storage.js';
import { fetcherOf } from './fetcher.js';
import './style.css';

const GREETING = `# Ctrl+Enter runs a query.
# Ctrl+Space completes a name.

`;

const path = window.location.pathname;

createRoot(document.getElementById('graphiql')).render(
  <GraphiQL fetcher={fetcherOf(path)} storage={storageOf(path)} defaultQuery={GREETING}>
    <GraphiQL.Logo>Cantata</GraphiQL.Logo>
  </GraphiQL>,
);
