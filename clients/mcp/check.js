// Calls every MCP tool of a server over both transports, and prints the answers.
//
//   node check.js URL BINARY [KEY]
//
// Any problem ends the program with an error; else the answers are printed as JSON for a test.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, binary, key] = process.argv.slice(2);

const TOOLS = [
  'list_catalogues',
  'get_sqon_schema',
  'get_catalogue_fields',
  'build_sqon',
  'execute_query',
  'describe_analysis_types',
  'validate_analysis',
  'query_network',
];

function overHttp() {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
}

function overStandardInput() {
  const env = key ? { CANTATA_URL: url, CANTATA_KEY: key } : { CANTATA_URL: url };
  return new StdioClientTransport({ command: binary, args: ['mcp'], env, stderr: 'inherit' });
}

async function found(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result)}`);
  return result.structuredContent;
}

async function everything(transport) {
  const client = new Client({ name: 'cantata-mcp-check', version: '0.1.0' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);

  const directory = await found(client, 'list_catalogues', {});
  const catalogueId = Object.keys(directory.catalogs)[0];
  const { fields } = await found(client, 'get_catalogue_fields', { catalogueId });
  const [fieldName] = Object.entries(fields).find(([, field]) => field.type === 'keyword');
  await found(client, 'get_sqon_schema', {});
  const all = { op: 'and', content: [] };
  const counted = await found(client, 'execute_query', {
    catalogueId,
    sqon: all,
    queryType: 'aggregations',
    aggregationFields: [fieldName],
  });
  const [{ buckets }] = Object.values(counted.aggregations);
  const clauses = [{ fieldName, operator: 'in', value: buckets[0].key }];
  const built = await found(client, 'build_sqon', { catalogueId, combination: 'and', clauses });
  const query = { catalogueId, sqon: built.sqon, fields: [fieldName], first: 3 };
  const hits = await found(client, 'execute_query', query);
  assert.equal(hits.total, buckets[0].doc_count);
  const mistaken = await client.callTool({ name: 'execute_query', arguments: { catalogueId, sqon: all, fields: ['no'] } });
  assert.equal(mistaken.isError, true);
  await assert.rejects(client.callTool({ name: 'drop_everything', arguments: {} }));

  const { analysisTypes } = await found(client, 'describe_analysis_types', {});
  const validated = await found(client, 'validate_analysis', { studyId: 'NOWHERE', analysis: {} });
  assert.equal(validated.valid, false);

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 1);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    JSON.parse(contents[0].text);
  }
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { goal: 'What is here?' } });
  const server = client.getServerVersion();
  await client.close();
  return { server, catalogueId, fieldName, hits, built, mistaken, analysisTypes, resources, prompt };
}

const answers = { http: await everything(overHttp()), stdio: await everything(overStandardInput()) };
assert.deepEqual(answers.stdio, answers.http);
process.stdout.write(`${JSON.stringify(answers.http)}\n`);
