"""Ids and vectors of points, to and from the core."""

import json
import uuid

import qdrant_edge as core

from .errors import Refusal, malformed, wrong
from .read import coordinates, integer, listing, mapping, text

LARGEST_ID = 2**64 - 1
BM25 = "qdrant/bm25"


def point_id(value):
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_ID:
        return value
    if isinstance(value, str) and len(value) <= 64:
        try:
            return uuid.UUID(value)
        except ValueError:
            pass
    shown = json.dumps(value)[:64]
    raise malformed(f"value {shown} is not a valid point ID, valid values are either an unsigned integer or a UUID")


def point_ids(value, where="points"):
    return [point_id(one) for one in listing(value, where)]


def shown_id(value):
    return value if isinstance(value, int) else str(value)


def sparse_vector(value):
    indices = listing(value.get("indices"), "indices")
    values = coordinates(listing(value.get("values"), "values"), "values")
    if len(indices) != len(values):
        raise wrong("sparse vector: must be the same length as values")
    for one in indices:
        integer(one, "indices", 0, 2**32 - 1)
    if len(set(indices)) != len(indices):
        raise Refusal(422, "Validation error in JSON body: [indices: must be unique]")
    return core.SparseVector(indices=indices, values=values)


def embedded(value, is_query):
    """A text, as the vector of its words (BM25). Other models would need a service that computes them."""
    if not isinstance(value.get("model"), str) or value["model"].lower() != BM25:
        raise wrong("InferenceService is not initialized. Only the model qdrant/bm25 is computed here.")
    if not hasattr(core, "Bm25"):
        raise wrong("This version of Qdrant does not compute qdrant/bm25.")
    options = mapping(value.get("options") or {}, "options")
    known = {}
    for key in ("k", "b", "avg_len"):
        if options.get(key) is not None:
            known[key] = float(options[key])
    if options.get("language") is not None:
        known["language"] = text(options["language"], "options.language", 64)
    model = core.Bm25(core.Bm25Config(**known))
    content = text(value.get("text"), "text", 1_000_000)
    return model.embed_query(content) if is_query else model.embed_document(content)


def one_vector(value, is_query=False):
    """One vector without its name: dense, multiple, sparse, or a text to be computed."""
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return [coordinates(listing(row, "vector"), "vector") for row in value]
        return coordinates(value, "vector")
    if isinstance(value, dict):
        if "indices" in value:
            return sparse_vector(value)
        if "text" in value:
            return embedded(value, is_query)
    raise malformed("data did not match any variant of untagged enum VectorStruct")


def vectors_of(value):
    """The vectors of one point: one, or several by name."""
    if isinstance(value, dict) and not ("text" in value and "model" in value):
        if "indices" in value and "values" in value:
            raise wrong("A sparse vector has a name.")
        return {text(name, "vector", 255): one_vector(one) for name, one in value.items()}
    return one_vector(value)


def shown_vector(value):
    if isinstance(value, core.SparseVector):
        return {"indices": list(value.indices), "values": list(value.values)}
    if isinstance(value, dict):
        return {name: shown_vector(one) for name, one in value.items()}
    return value


class Shape:
    """The vectors that points of a collection may have. Checked before the core logs an update, which it would repeat at every start."""

    def __init__(self, body):
        vectors = body.get("vectors") or {}
        named = {"": vectors} if "size" in vectors and not isinstance(vectors["size"], dict) else vectors
        self.dense = {name: (one["size"], bool(one.get("multivector_config"))) for name, one in named.items()}
        self.sparse = set(body.get("sparse_vectors") or {})

    def check(self, vectors):
        if not isinstance(vectors, dict):
            return self.check_one("", vectors)
        for name, one in vectors.items():
            self.check_one(name, one)

    def check_name(self, name):
        if name not in self.dense and name not in self.sparse:
            raise wrong(f"Not existing vector name error: {name}")

    def check_one(self, name, vector):
        self.check_name(name)
        if name in self.sparse:
            if not isinstance(vector, core.SparseVector):
                raise wrong(f"Conversion between sparse and regular vectors failed: vector {name} is sparse")
            return
        size, is_multiple = self.dense[name]
        if isinstance(vector, core.SparseVector):
            raise wrong(f"Conversion between sparse and regular vectors failed: vector {name} is dense")
        rows = vector if vector and isinstance(vector[0], list) else [vector]
        if not is_multiple and len(rows) > 1:
            raise wrong("Conversion between multi and regular vectors failed")
        if not vector:
            raise wrong(f"Vector dimension error: expected dim: {size}, got 0")
        for row in rows:
            if len(row) != size:
                raise wrong(f"Vector dimension error: expected dim: {size}, got {len(row)}")

