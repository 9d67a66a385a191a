"""What members tell the platform, and each other."""

import qdrant_edge as core

from .errors import Refusal, missing
from .queries import record
from .snapshots import full_folder, listed
from .vectors import point_id, shown_id

PAGE = 64
MOST_WAIT = 2.0
# What another member may ask for, with its key.
FOR_MEMBERS = ("feed", "structure", "page", "points")


class Platform:
    def __init__(self, store, role, follower):
        self.store, self.role, self.follower = store, role, follower

    def answer(self, method, name, options, body):
        """@raises Refusal 404 for what is none of it"""
        handle = getattr(self, f"{method.lower()}_{name}", None)
        if handle is None:
            raise Refusal(404, "Not found")
        return handle(options, body)

    def get_role(self, *_):
        role, feed = self.role, self.store.feed
        return {
            "leads": role.leads,
            "is_stopped": role.is_stopped,
            "follows": role.leader,
            "refused": role.refused,
            "epoch": feed.epoch,
            "number": feed.number,
            "following": self.follower.state(),
        }

    def post_stop(self, options, _):
        self.role.stop(int(options["term"]))
        return self.get_role()

    def post_lead(self, options, _):
        self.role.lead(int(options["term"]))
        return self.get_role()

    def post_follow(self, options, _):
        self.role.follow(int(options["term"]), options["leader"])
        return self.get_role()

    def get_contents(self, *_):
        collections = list(self.store.by_name.values())
        of = {one.name: listed(self.store.snapshots_of(one)) for one in collections}
        snapshots = [f"{name}/{one['name']}" for name, found in of.items() for one in found]
        snapshots += [one["name"] for one in listed(full_folder(self.store))]
        points = 0
        for one in collections:
            with one.reading():
                points += one.shard.info().points_count
        return {"collections": len(collections), "points": points, "snapshots": snapshots, "broken": len(self.store.broken)}

    def require_serving(self):
        # A member that stopped still gives what it has; one that follows may have anything.
        if self.role.leader is not None:
            raise Refusal(409, "This member follows another one.")
        if self.store.broken:
            raise Refusal(409, "A collection cannot be opened.")

    def get_feed(self, options, _):
        self.require_serving()
        wait = min(float(options.get("wait", 0)), MOST_WAIT)
        return self.store.feed.since(options.get("epoch"), int(options.get("number", 0)), wait)

    def get_structure(self, *_):
        self.require_serving()
        with self.store.lock:
            collections = [
                {"identity": one.identity, "name": one.name, "body": one.body, "indexes": one.indexes}
                for one in self.store.by_name.values()
            ]
            return {"collections": collections, "aliases": self.store.aliases}

    def find(self, body):
        self.require_serving()
        for one in list(self.store.by_name.values()):
            if one.identity == body["identity"]:
                return one
        raise missing("the collection is gone")

    def post_points(self, _, body):
        collection = self.find(body)
        with collection.reading():
            return [record(one) for one in collection.shard.retrieve([point_id(one) for one in body["ids"]], True, True)]

    def post_page(self, _, body):
        collection = self.find(body)
        offset = None if body["offset"] is None else point_id(body["offset"])
        with collection.reading():
            wish = core.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=True)
            points, following = collection.shard.scroll(wish)
        return {"points": [record(one) for one in points], "next": None if following is None else shown_id(following)}
