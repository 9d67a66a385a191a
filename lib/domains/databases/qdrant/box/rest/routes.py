"""The paths of the API."""

import re
import time

import qdrant_edge as core

from . import queries, snapshots, updates
from .config import HNSW, OPTIMIZERS, WAL, dense, is_single, modifier, multivector, sparse, vector_name
from .errors import Refusal, conflict, missing
from .read import listing, mapping, only_path, required, text, variant
from .store import collection_name
from .vectors import Shape, point_id
from .web import Answer, File

# The release of Qdrant whose REST API this is.
API_VERSION = "1.19.0"


class Call:
    def __init__(self, handle, takes_body=False, needs_body=False, takes_file=False, changes=True):
        self.handle, self.changes = handle, changes
        self.takes_body, self.needs_body, self.takes_file = takes_body, needs_body, takes_file


class Api:
    def __init__(self, store, version):
        self.store = store
        self.version = version
        self.began = time.time()
        self.operations = 0
        self.calls = {}
        self.register()

    def route(self, method, parts):
        """@raises Refusal 404 for no path of the API, 405 for a method that it does not have"""
        methods = set()
        for (known, pattern), (handle, options) in self.calls.items():
            names = matches(pattern, parts)
            if names is None:
                continue
            if known == method or (known == "GET" and method == "HEAD"):
                return Call(lambda *given: handle(*names, *given), **options)
            methods.add(known)
        if methods:
            raise Refusal(405, f"This path takes {', '.join(sorted(methods))}")
        raise Refusal(404, "Not found")

    def add(self, method, path, handle, **options):
        self.calls[method, tuple(part for part in path.split("/") if part)] = (handle, {"changes": method != "GET", **options})

    def plain(self, method, path, handle):
        self.add(method, path, lambda *given: handle(*given[:-2]))

    def asking(self, path, handle, method="POST"):
        """A question to one collection, with a body."""

        def ask(name, options, body):
            collection = self.store.find(name)
            with collection.reading():
                return handle(collection, mapping(body))

        self.add(method, f"/collections/*/{path}", ask, takes_body=True, needs_body=True, changes=False)

    def changing(self, method, path, kind):
        def change(name, options, body):
            collection = self.store.find(name)
            updates.change(collection, kind, mapping(body))
            return self.done(options)

        self.add(method, f"/collections/*/points{path}", change, takes_body=True, needs_body=True)

    def done(self, options):
        """Every change is logged before its answer; who did not ask to wait is told so little all the same."""
        self.operations += 1
        waited = options.get("wait") == "true"
        return {"operation_id": self.operations, "status": "completed" if waited else "acknowledged"}

    def register(self):
        find = self.store.find
        self.plain("GET", "/", lambda: Answer({"title": "qdrant - vector search engine", "version": API_VERSION, "commit": self.version}, "application/json"))
        self.plain("GET", "/collections", lambda: {"collections": [{"name": name} for name in sorted(self.store.by_name)]})
        self.plain("GET", "/collections/*", self.describe)
        self.add("PUT", "/collections/*", self.create, takes_body=True)
        self.add("PATCH", "/collections/*", self.change_collection, takes_body=True)
        self.plain("DELETE", "/collections/*", self.store.delete)
        self.plain("GET", "/collections/*/exists", lambda name: {"exists": self.store.exists(name)})
        self.add("POST", "/collections/aliases", self.change_aliases, takes_body=True, needs_body=True)
        self.plain("GET", "/aliases", lambda: {"aliases": self.aliases_of(None)})
        self.plain("GET", "/collections/*/aliases", lambda name: {"aliases": self.aliases_of(find(name).name)})
        self.add("PUT", "/collections/*/index", self.create_index, takes_body=True, needs_body=True)
        self.add("DELETE", "/collections/*/index/*", self.delete_index)
        self.add("PUT", "/collections/*/vectors/*", self.create_vector, takes_body=True, needs_body=True)
        self.add("DELETE", "/collections/*/vectors/*", self.delete_vector)
        self.plain("GET", "/collections/*/cluster", self.shards)
        self.plain("GET", "/collections/*/optimizations", self.optimizations)
        self.asking("facet", queries.facet)
        self.asking("points", queries.retrieve)
        self.asking("points/scroll", queries.scroll)
        self.asking("points/count", queries.count)
        self.asking("points/query", lambda collection, body: {"points": queries.query_points(collection, body, find)})
        self.asking("points/query/batch", lambda collection, body: queries.query_batch(collection, listing(required(body, "searches"), "searches"), find))
        self.asking("points/query/groups", lambda collection, body: queries.group_points(collection, body, find))
        self.asking("points/search/matrix/pairs", lambda collection, body: queries.distances(collection, body, False))
        self.asking("points/search/matrix/offsets", lambda collection, body: queries.distances(collection, body, True))
        self.register_earlier(find)
        self.plain("GET", "/collections/*/points/*", self.read_point)
        self.changing("PUT", "", "upsert")
        self.changing("POST", "/delete", "delete")
        self.changing("PUT", "/vectors", "update_vectors")
        self.changing("POST", "/vectors/delete", "delete_vectors")
        self.changing("POST", "/payload", "set_payload")
        self.changing("PUT", "/payload", "overwrite_payload")
        self.changing("POST", "/payload/delete", "delete_payload")
        self.changing("POST", "/payload/clear", "clear_payload")
        self.add("POST", "/collections/*/points/batch", self.change_batch, takes_body=True, needs_body=True)
        self.register_snapshots()
        self.plain("GET", "/cluster", lambda: {"status": "disabled"})
        self.plain("GET", "/issues", lambda: {"issues": []})
        self.plain("DELETE", "/issues", lambda: True)
        self.plain("GET", "/telemetry", self.telemetry)
        self.plain("GET", "/metrics", self.metrics)

    def register_earlier(self, find):
        """What clients of earlier releases ask for, as the queries that took its place."""

        def search(collection, body):
            return queries.query_points(collection, near(body), find)

        def recommend(collection, body):
            return queries.query_points(collection, alike(body), find)

        self.asking("points/search", search)
        self.asking("points/search/batch", lambda c, body: [search(c, one) for one in listing(required(body, "searches"), "searches")])
        self.asking("points/search/groups", lambda c, body: queries.group_points(c, near(body), find))
        self.asking("points/recommend", recommend)
        self.asking("points/recommend/batch", lambda c, body: [recommend(c, one) for one in listing(required(body, "searches"), "searches")])
        self.asking("points/recommend/groups", lambda c, body: queries.group_points(c, alike(body), find))
        self.asking("points/discover", lambda c, body: queries.query_points(c, towards(body), find))

    def register_snapshots(self):
        store = self.store

        def of(name):
            return store.snapshots_of(store.find(name))

        def drop(path):
            snapshots.remove(path)
            return True

        for below in ("", "/shards/0"):
            base = f"/collections/*{below}/snapshots"
            self.plain("GET", base, lambda name: snapshots.listed(of(name)))
            self.add("POST", base, lambda name, options, body: snapshots.take(store, store.find(name)))
            self.plain("GET", f"{base}/*", lambda name, snapshot: File(snapshots.file_of(of(name), snapshot)))
            self.plain("DELETE", f"{base}/*", lambda name, snapshot: drop(snapshots.file_of(of(name), snapshot)))
            self.add("PUT", f"{base}/recover", self.recover, takes_body=True, needs_body=True)
            self.add("POST", f"{base}/upload", self.upload, takes_file=True)
        self.plain("GET", "/snapshots", lambda: snapshots.listed(snapshots.full_folder(store)))
        self.plain("POST", "/snapshots", lambda: snapshots.take_full(store))
        self.plain("GET", "/snapshots/*", lambda name: File(snapshots.file_of(snapshots.full_folder(store), name)))
        self.plain("DELETE", "/snapshots/*", lambda name: drop(snapshots.file_of(snapshots.full_folder(store), name)))

    def recover(self, name, options, body):
        collection_name(name)
        collection = self.store.find(name) if self.store.exists(name) else None
        path = snapshots.local_file(self.store, collection, required(mapping(body), "location"))
        snapshots.recover(self.store, collection.name if collection else name, path, body.get("checksum"))
        return True

    def upload(self, name, options):
        snapshots.recover(self.store, name, options["file"], options.get("checksum"))
        return True

    def create(self, name, options, body):
        self.store.create(name, {key: value for key, value in mapping(body).items() if key in CREATION})
        return True

    def change_collection(self, name, options, body):
        self.store.find(name).change_settings(mapping(body))
        return True

    def change_aliases(self, options, body):
        self.store.change_aliases(listing(required(body, "actions"), "actions"))
        return True

    def aliases_of(self, target):
        known = sorted(self.store.aliases.items())
        return [{"alias_name": alias, "collection_name": name} for alias, name in known if target in (None, name)]

    def create_index(self, name, options, body):
        collection = self.store.find(name)
        field = only_path(required(body, "field_name"))
        schema = body.get("field_schema") or body.get("field_type")
        if schema is None:
            raise Refusal(400, "Wrong input: Can't auto-detect field type, please specify `field_schema` in the request")
        collection.create_index(field, schema)
        return self.done(options)

    def delete_index(self, name, field, options, body):
        self.store.find(name).delete_index(only_path(field))
        return self.done(options)

    def create_vector(self, name, vector, options, body):
        collection = self.store.find(name)
        vector_name(vector)
        body = mapping(body)
        is_sparse = body.get("sparse") is not None or "dense" not in body and "size" not in body
        settings = mapping(body.get("sparse" if is_sparse else "dense") or body, "vector")
        kind = "sparse_vectors" if is_sparse else "vectors"
        with collection.writing():
            known = collection.body.get("vectors") or {}
            if vector in (collection.body.get("sparse_vectors") or {}) or (vector in known and not is_single(known)):
                raise conflict(f"Vector `{vector}` already exists!")
            if is_sparse:
                sparse(settings, "sparse")
                operation = core.UpdateOperation.create_sparse_vector(vector, modifier(settings.get("modifier"), "modifier"))
            else:
                dense(settings, "dense")
                if is_single(known):
                    known = {"": known}
                operation = core.UpdateOperation.create_dense_vector(
                    vector,
                    settings["size"],
                    variant(core.Distance, settings["distance"], "distance"),
                    multivector(settings.get("multivector_config")),
                    variant(core.VectorStorageDatatype, settings.get("datatype"), "datatype"),
                )
            collection.apply(operation)
            base = known if kind == "vectors" else collection.body.get(kind) or {}
            collection.body = {**collection.body, kind: {**base, vector: settings}}
            collection.shape = Shape(collection.body)
            collection.save()
        return self.done(options)

    def delete_vector(self, name, vector, options, body):
        collection = self.store.find(name)
        with collection.writing():
            collection.shape.check_name(vector)
            collection.apply(core.UpdateOperation.delete_vector_name(vector))
            for kind in ("vectors", "sparse_vectors"):
                known = collection.body.get(kind) or {}
                if vector in known and not is_single(known):
                    collection.body = {**collection.body, kind: {key: one for key, one in known.items() if key != vector}}
            collection.shape = Shape(collection.body)
            collection.save()
        return self.done(options)

    def change_batch(self, name, options, body):
        collection = self.store.find(name)
        made = updates.changes(collection, required(body, "operations"))
        return [self.done(options) for _ in range(made)]

    def read_point(self, name, wanted):
        collection = self.store.find(name)
        with collection.reading():
            one = point_id(int(wanted) if re.fullmatch(r"[0-9]{1,20}", wanted) else wanted)
            found = collection.shard.retrieve([one], True, True)
        if not found:
            raise missing(f"Point with id {wanted} does not exists!")
        return queries.record(found[0])

    def shards(self, name):
        collection = self.store.find(name)
        with collection.reading():
            points = collection.shard.info().points_count
        shard = {"shard_id": 0, "points_count": points, "state": "Active"}
        return {"peer_id": 1, "shard_count": 1, "local_shards": [shard], "remote_shards": [], "shard_transfers": []}

    def optimizations(self, name):
        is_busy = self.store.find(name).is_optimizing
        summary = {"queued_optimizations": int(is_busy), "queued_segments": 0, "queued_points": 0, "idle_segments": 0}
        return {"summary": summary, "running": []}

    def describe(self, name):
        collection = self.store.find(name)
        with collection.reading():
            info = collection.shard.info()
        body = collection.body
        params = {"shard_number": 1, "replication_factor": 1, "write_consistency_factor": 1}
        params["on_disk_payload"] = body.get("on_disk_payload") if body.get("on_disk_payload") is not None else True
        if body.get("vectors") is not None:
            params["vectors"] = body["vectors"]
        if body.get("sparse_vectors"):
            params["sparse_vectors"] = body["sparse_vectors"]
        config = {
            "params": params,
            "hnsw_config": {**HNSW, **known_of(body, "hnsw_config")},
            "optimizer_config": {**OPTIMIZERS, **known_of(body, "optimizers_config")},
            "wal_config": {**WAL, **known_of(body, "wal_config")},
            "quantization_config": body.get("quantization_config"),
        }
        if body.get("metadata"):
            config["metadata"] = body["metadata"]
        return {
            "status": "yellow" if collection.is_optimizing else "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": info.indexed_vectors_count,
            "points_count": info.points_count,
            "segments_count": info.segments_count,
            "config": config,
            "payload_schema": {field: self.index_of(collection, field, one) for field, one in (info.payload_schema or {}).items()},
            "update_queue": {"length": 0},
        }

    def index_of(self, collection, field, found):
        shown = {"data_type": str(found.data_type).rsplit(".", 1)[-1].lower(), "points": found.points}
        params = collection.indexes.get(field)
        return {**shown, "params": params} if isinstance(params, dict) else shown

    def telemetry(self):
        features = dict.fromkeys(("debug", "service_debug_feature", "recovery_mode", "gpu", "rocksdb", "staging"), False)
        startup = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began))
        app = {"name": "qdrant", "version": API_VERSION, "features": features, "startup": startup}
        return {"id": self.version, "app": app, "collections": {"number_of_collections": len(self.store.by_name)}}

    def metrics(self):
        points = 0
        for collection in list(self.store.by_name.values()):
            with collection.reading():
                points += collection.shard.info().points_count
        lines = [
            f'app_info{{name="qdrant",version="{API_VERSION}"}} 1',
            f"collections_total {len(self.store.by_name)}",
            f"collections_vector_total {points}",
        ]
        return Answer("\n".join(lines) + "\n")


CREATION = {
    "vectors", "sparse_vectors", "shard_number", "sharding_method", "replication_factor", "write_consistency_factor", "on_disk_payload",
    "hnsw_config", "wal_config", "optimizers_config", "quantization_config", "strict_mode_config", "metadata",
}


def matches(pattern, parts):
    """The names in the places of `*`; None where the path is another."""
    if len(pattern) != len(parts):
        return None
    names = []
    for known, part in zip(pattern, parts):
        if known == "*":
            names.append(part)
        elif known != part:
            return None
    return names


def known_of(body, key):
    return {name: value for name, value in (body.get(key) or {}).items() if value is not None}


def near(body):
    vector = required(mapping(body), "vector")
    if isinstance(vector, dict) and "name" in vector:
        return {**body, "query": required(vector, "vector"), "using": text(vector["name"], "name", 255)}
    return {**body, "query": vector}


def alike(body):
    wish = {key: mapping(body).get(key) for key in ("positive", "negative", "strategy")}
    return {**body, "query": {"recommend": wish}}


def towards(body):
    context = mapping(body).get("context") or []
    if body.get("target") is None:
        return {**body, "query": {"context": context}}
    return {**body, "query": {"discover": {"target": body["target"], "context": context}}}
