"""Changes of points. Each is read and checked as a whole before the core logs it."""

import qdrant_edge as core

from .config import given
from .errors import Refusal, malformed, wrong
from .feed import UNKNOWN
from .filters import condition_filter
from .read import listing, mapping, only_path, required, text, variant
from .vectors import point_id, point_ids, shown_id, vectors_of

# More points than these of one change are not listed for a follower, which then compares all.
MOST_LISTED = 20_000


def payload_of(value, where="payload"):
    return {} if value is None else mapping(value, where)


def points_of(collection, body):
    if body.get("batch") is not None:
        return batch_of(collection, mapping(body["batch"], "batch"))
    points = []
    for one in listing(required(body, "points"), "points"):
        vectors = vectors_of(required(one, "vector", "points"))
        collection.shape.check(vectors)
        points.append(core.Point(point_id(required(one, "id", "points")), vectors, payload_of(one.get("payload"))))
    return points


def batch_of(collection, batch):
    ids = point_ids(required(batch, "ids", "batch"), "batch.ids")
    columns = required(batch, "vectors", "batch")
    if isinstance(columns, dict):
        for name, column in columns.items():
            if len(listing(column, f"batch.vectors.{name}")) != len(ids):
                raise Refusal(422, f"Validation error in JSON body: [batch.vectors: number of ids and vectors must be equal ({len(ids)} != {len(column)})]")
        rows = [{name: column[index] for name, column in columns.items() if column[index] is not None} for index in range(len(ids))]
    else:
        rows = listing(columns, "batch.vectors")
    payloads = batch.get("payloads")
    payloads = [None] * len(ids) if payloads is None else listing(payloads, "batch.payloads")
    for what, column in (("vectors", rows), ("payloads", payloads)):
        if len(column) != len(ids):
            raise Refusal(422, f"Validation error in JSON body: [batch.{what}: number of ids and {what} must be equal ({len(ids)} != {len(column)})]")
    points = []
    for one, row, payload in zip(ids, rows, payloads):
        vectors = vectors_of(row)
        collection.shape.check(vectors)
        points.append(core.Point(one, vectors, payload_of(payload)))
    return points


def selected(body):
    """Which points a change is for: (ids, None) or (None, filter)."""
    if body.get("points") is not None:
        return point_ids(body["points"]), None
    if body.get("filter") is not None:
        return None, condition_filter(mapping(body["filter"], "filter"))
    raise wrong("Either list of ids or filter must be provided")


def upsert(collection, body):
    points = points_of(collection, body)
    condition = condition_filter(body.get("update_filter"))
    mode = variant(core.UpdateMode, body.get("update_mode"), "update_mode")
    return [core.UpdateOperation.upsert_points(points, **given(condition=condition, update_mode=mode))]


def delete(_, body):
    ids, condition = selected(body)
    make = core.UpdateOperation
    return [make.delete_points(ids) if condition is None else make.delete_points_by_filter(condition)]


def write_payload(name):
    def make(_, body):
        payload = mapping(required(body, "payload"), "payload")
        ids, condition = selected(body)
        key = body.get("key")
        key = None if key is None else only_path(key)
        if condition is None:
            return [getattr(core.UpdateOperation, name)(ids, payload, key)]
        return [getattr(core.UpdateOperation, f"{name}_by_filter")(condition, payload, key)]

    return make


def delete_payload(_, body):
    keys = [only_path(one) for one in listing(required(body, "keys"), "keys")]
    ids, condition = selected(body)
    make = core.UpdateOperation
    return [make.delete_payload(ids, keys) if condition is None else make.delete_payload_by_filter(condition, keys)]


def clear_payload(_, body):
    ids, condition = selected(body)
    make = core.UpdateOperation
    return [make.clear_payload(ids) if condition is None else make.clear_payload_by_filter(condition)]


def update_vectors(collection, body):
    changed = []
    for one in listing(required(body, "points"), "points"):
        vectors = vectors_of(required(one, "vector", "points"))
        collection.shape.check(vectors)
        changed.append(core.PointVectors(point_id(required(one, "id", "points")), vectors))
    ids = [one.id for one in changed]
    # The core would stop at the first that is not there, with those before it changed.
    there = {one.id for one in collection.shard.retrieve(ids, False, False)} if ids else set()
    for one in ids:
        if one not in there:
            raise Refusal(404, f"Not found: No point with id {one} found")
    condition = condition_filter(body.get("update_filter"))
    return [core.UpdateOperation.update_vectors(changed, **given(condition=condition))]


def delete_vectors(collection, body):
    names = [text(one, "vector", 255) for one in listing(required(body, "vector"), "vector")]
    if not names:
        raise Refusal(422, "Validation error in JSON body: [vector: length is invalid, must be 1 or larger]")
    for name in names:
        collection.shape.check_name(name)
    make = core.UpdateOperation
    changes = []
    if body.get("points") is not None:
        changes.append(make.delete_vectors(point_ids(body["points"]), names))
    if body.get("filter") is not None:
        changes.append(make.delete_vectors_by_filter(condition_filter(body["filter"]), names))
    if not changes:
        raise wrong("Either list of ids or filter must be provided")
    return changes


KINDS = {
    "upsert": upsert,
    "delete": delete,
    "set_payload": write_payload("set_payload"),
    "overwrite_payload": write_payload("overwrite_payload"),
    "delete_payload": delete_payload,
    "clear_payload": clear_payload,
    "update_vectors": update_vectors,
    "delete_vectors": delete_vectors,
}


def touched(collection, body):
    """The points that a change is of, before it is made."""
    if body.get("batch") is not None:
        return [shown_id(one) for one in point_ids(required(body["batch"], "ids", "batch"), "batch.ids")]
    ids = []
    if body.get("points") is not None:
        ids = [shown_id(point_id(required(one, "id", "points") if isinstance(one, dict) else one)) for one in body["points"]]
    if body.get("filter") is None:
        return ids
    wish = core.ScrollRequest(
        offset=None, limit=MOST_LISTED + 1, filter=condition_filter(mapping(body["filter"], "filter")), with_payload=False, with_vector=False
    )
    found, _ = collection.shard.scroll(wish)
    return UNKNOWN if len(found) > MOST_LISTED else ids + [shown_id(one.id) for one in found]


def change(collection, name, body):
    """Makes one change, logged before this returns."""
    make, body = KINDS[name], mapping(body)
    feed = collection.store.feed
    with collection.writing():
        operations = make(collection, body)
        ids = touched(collection, body) if feed.is_wanted else UNKNOWN
        try:
            for operation in operations:
                collection.apply(operation)
        finally:
            feed.touch(collection.identity, ids)


def changes(collection, operations):
    """A batch in its order. It ends at the first that is refused, as each is a change of its own."""
    named = []
    for one in listing(operations, "operations"):
        one = mapping(one, "operations")
        if len(one) != 1 or next(iter(one)) not in KINDS:
            raise malformed(f"operations: unknown variant, expected one of {', '.join(KINDS)}")
        named.append(next(iter(one.items())))
    for name, body in named:
        change(collection, name, body)
    return len(named)
