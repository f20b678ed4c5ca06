// Fills indexes through the Elasticsearch-compatible API with the official clients of Elasticsearch 7 and OpenSearch.
//
//   node check.js URL [KEY]
//
// Any problem ends the program with an error. Each client leaves an alias `js-<client>` of an index with 1,001 documents.

import assert from 'node:assert/strict';
import { Client as Elasticsearch } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';

const [url, key] = process.argv.slice(2);
const node = `${url}/_es`;
const auth = key ? { username: 'indexer', password: key } : undefined;

const MAPPINGS = {
  properties: {
    name: { type: 'keyword' },
    size: { type: 'long' },
    donors: { type: 'nested', properties: { age: { type: 'integer' } } },
  },
};

async function fill(client, name) {
  const alias = `js-${name}`;
  const index = `${alias}-1`;
  const { body: info } = await client.info();
  assert.equal(info.tagline, 'You Know, for Search');
  assert.equal((await client.ping()).statusCode, 200);
  assert.equal((await client.cluster.health()).body.status, 'green');

  assert.equal((await client.indices.exists({ index })).body, false);
  const settings = { number_of_shards: 3, analysis: { analyzer: {} } };
  const made = await client.indices.create({ index, body: { mappings: MAPPINGS, settings, aliases: { [alias]: {} } } });
  assert.deepEqual(made.body, { acknowledged: true, shards_acknowledged: true, index });
  assert.equal((await client.indices.exists({ index })).body, true);
  await assert.rejects(client.indices.create({ index }), (error) => {
    assert.equal(error.meta.body.error.type, 'resource_already_exists_exception');
    return error.statusCode === 400;
  });
  assert.deepEqual((await client.indices.getMapping({ index: alias })).body, { [index]: { mappings: MAPPINGS } });
  await client.indices.putMapping({ index, body: { properties: { added: { type: 'date' } } } });
  const { body: shown } = await client.indices.get({ index });
  assert.equal(shown[index].mappings.properties.added.type, 'date');
  assert.deepEqual(shown[index].aliases, { [alias]: {} });

  const operations = [];
  for (let number = 0; number < 1000; number += 1) {
    operations.push({ index: { _index: alias, _id: `d${number}` } }, { name: `n${number % 7}`, size: number });
  }
  operations.push({ index: { _index: alias, _id: 'wrong' } }, { size: 'large' });
  operations.push({ create: { _index: alias, _id: 'd1' } }, { name: 'again' });
  operations.push({ update: { _index: alias, _id: 'd1' } }, { doc: { name: 'changed' } });
  operations.push({ update: { _index: alias, _id: 'new' } }, { doc: { name: 'made' }, doc_as_upsert: true });
  operations.push({ delete: { _index: alias, _id: 'd2' } }, { delete: { _index: alias, _id: 'never' } });
  operations.push({ index: { _index: alias } }, { name: 'without an id' });
  const { body: bulk } = await client.bulk({ refresh: true, body: operations });
  assert.equal(bulk.errors, true);
  assert.equal(bulk.items.length, 1007);
  const last = bulk.items.slice(1000).map((item) => Object.values(item)[0]);
  assert.deepEqual(last.map((item) => item.status), [400, 409, 200, 201, 200, 404, 201]);
  assert.equal(last[0].error.type, 'mapper_parsing_exception');
  assert.ok(bulk.items.slice(0, 1000).every((item) => item.index.result === 'created' && item.index._index === index));

  assert.deepEqual((await client.get({ index: alias, id: 'd1' })).body._source, { name: 'changed', size: 1 });
  await assert.rejects(client.get({ index: alias, id: 'd2' }), (error) => error.statusCode === 404);
  assert.equal((await client.exists({ index: alias, id: 'd1' })).body, true);
  assert.equal((await client.index({ index: alias, id: 'one', body: { size: 1 }, refresh: 'wait_for' })).body.result, 'created');
  assert.equal((await client.index({ index: alias, id: 'one', body: { size: 2 } })).body.result, 'updated');
  assert.equal((await client.update({ index: alias, id: 'one', body: { doc: { size: 2 } } })).body.result, 'noop');
  assert.equal((await client.delete({ index: alias, id: 'one' })).body.result, 'deleted');
  await assert.rejects(client.create({ index: alias, id: 'd1', body: {} }), (error) => error.statusCode === 409);
  await client.indices.refresh({ index: alias });
  assert.equal((await client.count({ index: alias, body: { query: { match_all: {} } } })).body.count, 1001);
  await assert.rejects(client.count({ index: alias, body: { query: { term: { size: 1 } } } }));

  await client.indices.create({ index: `${alias}-2`, body: { mappings: MAPPINGS } });
  const added = [{ remove: { index: '*', alias } }, { add: { index: `${alias}-2`, alias } }];
  await client.indices.updateAliases({ body: { actions: added } });
  assert.deepEqual((await client.indices.getAlias({ name: alias })).body, { [`${alias}-2`]: { aliases: { [alias]: {} } } });
  const { body: rows } = await client.cat.aliases({ format: 'json', name: alias });
  assert.deepEqual(rows.map((row) => [row.alias, row.index]), [[alias, `${alias}-2`]]);
  const back = [{ remove_index: { index: `${alias}-2` } }, { add: { index, alias } }];
  await client.indices.updateAliases({ body: { actions: [{ remove: { index: `${alias}-2`, alias } }, back[1]] } });
  await client.indices.updateAliases({ body: { actions: back } });
  assert.equal((await client.indices.existsAlias({ name: alias })).body, true);
  assert.equal((await client.indices.exists({ index: `${alias}-2` })).body, false);
  await client.indices.putAlias({ index, name: `${alias}-other` });
  await client.indices.deleteAlias({ index, name: `${alias}-other` });
  assert.equal((await client.indices.existsAlias({ name: `${alias}-other` })).body, false);
  assert.equal((await client.cat.indices({ format: 'json', index })).body[0]['docs.count'], '1001');
  await assert.rejects(client.search({ index: alias, body: {} }), (error) => error.statusCode === 400);
}

// Only a busy machine needs so long.
const requestTimeout = 120_000;
await fill(new Elasticsearch({ node, auth, requestTimeout, compression: 'gzip' }), 'elasticsearch');
await fill(new OpenSearch({ node, auth, requestTimeout }), 'opensearch');
