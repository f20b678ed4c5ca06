// The page that people get at a GraphQL path. Queries go to the path that the page itself was loaded from, so one page
// serves every catalogue.

import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';

import { exampleFor } from './example.js';
import { fetcherOf } from './fetcher.js';
import { storageOf } from './storage.js';
import './style.css';

const path = window.location.pathname;
// The address of this script says below which path of its host the server is.
const basePath = new URL(document.currentScript.src).pathname.replace(/\/assets\/graphiql\/[^/]*$/, '');

exampleFor(path, basePath).then((example) =>
  createRoot(document.getElementById('graphiql')).render(
    <GraphiQL fetcher={fetcherOf(path)} storage={storageOf(path)} defaultQuery={example}>
      <GraphiQL.Logo>Cantata</GraphiQL.Logo>
    </GraphiQL>,
  ),
);
