"""Keeps the collections of this member as they are at the member that it follows."""

import contextlib
import http.client
import json
import os
import ssl
import threading
import time
import urllib.parse

import qdrant_edge as core

from .config import is_single
from .errors import Refusal
from .queries import record
from .store import say, write_durably
from .vectors import one_vector, point_id, shown_id

BATCH = 64
NEWS_SECONDS = 1
ANSWER_SECONDS = 20
AGAIN_SECONDS = 0.2
LINKED_SECONDS = 5
# Larger collections are worth waiting for their index.
SMALL_POINTS = 10_000
INCOMPLETE = "incomplete.json"


class Peer:
    """The member that serves, over TLS with the cluster's CA."""

    def __init__(self, authorities, port):
        self.authorities, self.port = authorities, port
        self.connection = self.leader = None

    def connect(self, leader, timeout=ANSWER_SECONDS):
        context = ssl.create_default_context(cafile=self.authorities)
        return http.client.HTTPSConnection(leader, self.port, context=context, timeout=timeout)

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def ask(self, leader, key, method, path, body=None):
        """@raises OSError when it does not answer, or does not serve"""
        if self.leader != leader:
            self.close()
            self.leader = leader
        if self.connection is None:
            self.connection = self.connect(leader)
        try:
            headers = {"peer-key": key, "content-type": "application/json"}
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise OSError(f"the serving member does not answer: {str(error)[:200]}") from None
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise OSError(f"the serving member answered {answer.status}: {text[:200].decode(errors='replace')}")
        return json.loads(text)["result"]


class Follower(threading.Thread):
    def __init__(self, store, role, peer):
        super().__init__(daemon=True)
        self.store, self.role, self.peer = store, role, peer
        self.lock = threading.Lock()
        self.epoch, self.number = None, 0
        self.pending = {}
        self.trouble = None
        self.is_refused = False
        self.seen_at = None
        self.mark = os.path.join(store.root, INCOMPLETE)

    def require_whole(self):
        if os.path.exists(self.mark):
            raise Refusal(409, "The member has not yet copied everything.")

    def begin_at(self, epoch, number):
        with self.lock:
            self.epoch, self.number = epoch, number
            self.pending, self.trouble, self.is_refused, self.seen_at = {}, None, False, None

    def ended(self):
        """Where it was when it followed last."""
        with self.lock:
            return (self.epoch, self.number)

    def state(self):
        is_linked = self.seen_at is not None and time.monotonic() - self.seen_at < LINKED_SECONDS
        return {
            "epoch": self.epoch,
            "number": self.number,
            "pending": len(self.pending) + self.unbuilt(),
            "is_linked": is_linked,
            "trouble": self.trouble,
            "is_refused": self.is_refused,
        }

    def unbuilt(self):
        return sum(1 for one in list(self.store.by_name.values()) if one.is_new and one.shard.info().points_count > SMALL_POINTS)

    def run(self):
        while True:
            leader = self.role.leader
            if leader is None:
                with self.role.condition:
                    self.role.condition.wait_for(lambda: self.role.leader is not None)
                continue
            try:
                self.look(leader)
                self.trouble, self.is_refused = None, False
            except BaseException as error:
                text = error.message if isinstance(error, Refusal) else str(error)
                if text != self.trouble:
                    say(f"following {leader}: {text[:300]}")
                # What another version does not know stays so; a full disk or a silent member does not.
                self.is_refused = isinstance(error, Refusal) and error.status not in (507, 404)
                self.trouble = text[:300]
                time.sleep(AGAIN_SECONDS)

    def ask(self, leader, method, path, body=None):
        return self.peer.ask(leader, self.role.key, method, path, body)

    def look(self, leader):
        with self.lock:
            wait = 0 if self.pending else NEWS_SECONDS
            asked = (self.epoch, self.number)
        wish = urllib.parse.urlencode({"epoch": asked[0] or "", "number": asked[1], "wait": wait})
        news = self.ask(leader, "GET", f"/platform/feed?{wish}")
        structure = self.ask(leader, "GET", "/platform/structure") if news["is_structure"] else None
        with self.lock:
            # It may have led meanwhile, and follow the same one again from elsewhere.
            if self.role.leader != leader or (self.epoch, self.number) != asked:
                return
            self.take(leader, news, structure)
            self.seen_at = time.monotonic()

    def take(self, leader, news, structure):
        if news["is_reset"]:
            # Until all is compared, this is neither what it was nor what the other has.
            write_durably(self.mark, True)
            self.pending = {one["identity"]: None for one in structure["collections"]}
        if structure is not None:
            self.take_structure(structure)
        for identity in news["whole"]:
            self.pending[identity] = None
        for identity, ids in news["points"].items():
            collection = self.find(identity)
            for begin in range(0, len(ids) if collection else 0, BATCH):
                self.take_points(leader, collection, ids[begin : begin + BATCH])
        self.epoch, self.number = news["epoch"], news["number"]
        until = time.monotonic() + AGAIN_SECONDS
        while self.pending and time.monotonic() < until:
            self.take_page(leader, next(iter(self.pending)))
        if not self.pending:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.mark)

    def find(self, identity):
        return next((one for one in list(self.store.by_name.values()) if one.identity == identity), None)

    def take_structure(self, structure):
        wanted = {one["identity"]: one for one in structure["collections"]}
        for collection in list(self.store.by_name.values()):
            one = wanted.get(collection.identity)
            if one is None or names_of(one["body"]) != names_of(collection.body):
                self.store.delete(collection.name)
        for identity, one in wanted.items():
            collection = self.find(identity)
            if collection is None:
                self.store.create(one["name"], one["body"], identity)
                collection = self.find(identity)
                self.pending[identity] = None
            if collection.body != one["body"]:
                collection.take_body(one["body"])
            for field, schema in one["indexes"].items():
                if collection.indexes.get(field) != schema:
                    collection.create_index(field, schema)
            for field in set(collection.indexes) - set(one["indexes"]):
                collection.delete_index(field)
        for identity in set(self.pending) - set(wanted):
            del self.pending[identity]
        if structure["aliases"] != self.store.aliases:
            with self.store.lock:
                self.store.save_aliases(structure["aliases"])

    def take_points(self, leader, collection, ids):
        """Makes these points what they are there, or are not."""
        found = self.ask(leader, "POST", "/platform/points", {"identity": collection.identity, "ids": ids})
        if found is not None:
            there = {one["id"] for one in found}
            write(collection, found, [one for one in ids if one not in there])

    def take_page(self, leader, identity):
        """Compares the next points of a collection, and writes those that differ."""
        collection = self.find(identity)
        offset = self.pending[identity]
        page = collection and self.ask(leader, "POST", "/platform/page", {"identity": identity, "offset": offset})
        if not page:
            # Deleted meanwhile: the next structure is without it.
            del self.pending[identity]
            return
        theirs = {one["id"]: one for one in page["points"]}
        ours = local_ids(collection, offset, page["next"])
        with collection.reading():
            known = {shown_id(one.id): record(one) for one in collection.shard.retrieve([point_id(one) for one in theirs], True, True)}
        write(collection, [one for id, one in theirs.items() if known.get(id) != one], [id for id in ours if id not in theirs])
        if page["next"] is None:
            del self.pending[identity]
            collection.is_new = collection.is_dirty
        else:
            self.pending[identity] = page["next"]


def names_of(body):
    vectors = body.get("vectors") or {}
    return ("" if is_single(vectors) else sorted(vectors), sorted(body.get("sparse_vectors") or {}))


def order_of(id):
    """Numbers come before UUIDs."""
    return (0, id) if isinstance(id, int) else (1, point_id(id).int)


def local_ids(collection, begin, end):
    """The ids of this member's points from one on, up to another."""
    found, offset = [], None if begin is None else point_id(begin)
    while True:
        with collection.reading():
            points, offset = collection.shard.scroll(core.ScrollRequest(offset=offset, limit=1_000, with_payload=False, with_vector=False))
        ids = [shown_id(one.id) for one in points]
        found += [one for one in ids if end is None or order_of(one) < order_of(end)]
        if offset is None or (end is not None and ids and order_of(ids[-1]) >= order_of(end)):
            return found


def vectors_as_sent(vector):
    if isinstance(vector, dict):
        return {name: one_vector(one) for name, one in vector.items()}
    return one_vector(vector)


def write(collection, points, gone):
    if not points and not gone:
        return
    changed = [core.Point(point_id(one["id"]), vectors_as_sent(one.get("vector") or {}), one.get("payload") or {}) for one in points]
    with collection.writing():
        if gone:
            collection.apply(core.UpdateOperation.delete_points([point_id(one) for one in gone]))
        if changed:
            collection.apply(core.UpdateOperation.upsert_points(changed))
