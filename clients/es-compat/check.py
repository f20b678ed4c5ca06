"""Fills indexes through the Elasticsearch-compatible API with the official clients of Elasticsearch 7 and OpenSearch.

    python3 check.py URL [KEY]

Any problem ends the program with an error. Each client leaves an alias `py-<client>` of an index with 501 documents.
"""

import sys

import elasticsearch
import elasticsearch.helpers
import opensearchpy
import opensearchpy.helpers

MAPPINGS = {"properties": {"name": {"type": "keyword"}, "size": {"type": "long"}}}


def refused(status, call, **arguments):
    """Makes sure that a call is refused with a status."""
    try:
        call(**arguments)
    except (elasticsearch.TransportError, opensearchpy.TransportError) as error:
        assert error.status_code == status, error
        return error
    raise AssertionError(f"{call} was not refused")


def fill(client, helpers, name):
    alias = f"py-{name}"
    index = f"{alias}-1"
    assert client.ping()
    assert client.info()["version"]["number"].startswith("7.17.")
    assert not client.indices.exists(index=index)
    client.indices.create(index=index, body={"mappings": MAPPINGS, "settings": {"index": {"number_of_shards": 5}}})
    assert refused(400, client.indices.create, index=index).error == "resource_already_exists_exception"
    client.indices.put_alias(index=index, name=alias)
    assert client.indices.exists_alias(name=alias)

    documents = ({"_index": alias, "_id": f"d{n}", "_source": {"name": f"n{n % 5}", "size": n}} for n in range(500))
    assert helpers.bulk(client, documents, chunk_size=120, refresh=True) == (500, [])
    operations = [
        {"_op_type": "update", "_index": alias, "_id": "d3", "doc": {"name": "changed"}},
        {"_op_type": "create", "_index": alias, "_id": "new", "size": 7},
        {"_op_type": "index", "_index": alias, "_id": "wrong", "size": "large"},
        {"_op_type": "create", "_index": alias, "_id": "d3", "size": 7},
        {"_op_type": "delete", "_index": alias, "_id": "d4"},
        {"_op_type": "index", "_index": alias, "name": "without an id"},
    ]
    done, errors = helpers.bulk(client, operations, raise_on_error=False)
    assert done == 4 and [next(iter(error.values()))["status"] for error in errors] == [400, 409], errors

    assert client.get(index=alias, id="d3")["_source"] == {"name": "changed", "size": 3}
    assert not client.exists(index=alias, id="d4")
    refused(404, client.get, index=alias, id="d4")
    assert client.index(index=alias, body={"size": 1}, id="one", refresh=True)["result"] == "created"
    assert client.delete(index=alias, id="one")["result"] == "deleted"
    client.indices.refresh(index=alias)
    assert client.count(index=alias)["count"] == 501
    assert client.indices.get_mapping(index=index)[index]["mappings"] == MAPPINGS
    assert client.indices.get_alias(index=index) == {index: {"aliases": {alias: {}}}}
    assert client.cat.aliases(name=alias, h="alias,index").split() == [alias, index]

    client.indices.create(index=f"{alias}-2")
    actions = [{"add": {"index": f"{alias}-2", "alias": alias}}, {"remove": {"index": index, "alias": alias}}]
    client.indices.update_aliases(body={"actions": actions})
    assert list(client.indices.get_alias(name=alias)) == [f"{alias}-2"]
    client.indices.update_aliases(body={"actions": [
        {"remove": {"index": f"{alias}-2", "alias": alias}}, {"add": {"index": index, "alias": alias}}]})
    client.indices.delete(index=f"{alias}-2")
    refused(404, client.indices.delete, index=f"{alias}-2")
    assert client.count(index=alias)["count"] == 501
    refused(400, client.search, index=alias, body={})


url, key = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
hosts = [f"{url}/_es"]
login = {"http_auth": ("indexer", key)} if key else {}
# Only a busy machine needs so long.
timeout = 120
elastic = elasticsearch.Elasticsearch(hosts, http_compress=True, timeout=timeout, **login)
fill(elastic, elasticsearch.helpers, "elasticsearch")
fill(opensearchpy.OpenSearch(hosts, timeout=timeout, **login), opensearchpy.helpers, "opensearch")
