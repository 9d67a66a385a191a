"""A feed of changed points, for a member of another version that follows this one.

Not the changes are kept, but which points they were of: the follower fetches those as they are by then. However often and in
whatever order it does so, it ends with the same points.
"""

import threading
import time
import uuid
from collections import OrderedDict

MOST_POINTS = 200_000
# Without a question for so long, nobody follows any more.
FORGOTTEN_SECONDS = 600
UNKNOWN = object()


class Feed:
    def __init__(self):
        self.changed = threading.Condition()
        self.epoch = None
        self.asked_at = 0.0
        self.begin(None)

    def begin(self, predecessor):
        """A new history. @param predecessor the place in another one at which this one begins, or None"""
        with self.changed:
            self.epoch = None if predecessor is None else uuid.uuid4().hex
            self.asked_at = time.monotonic()
            self.predecessor = predecessor
            self.number = self.floor = self.structure = 0
            self.points = OrderedDict()
            self.whole = {}
            self.changed.notify_all()

    @property
    def is_wanted(self):
        return self.epoch is not None

    def touch(self, identity, ids):
        """Records changed points, after the change and before it is acknowledged. `UNKNOWN`: any point of the collection."""
        if self.epoch is None:
            return
        with self.changed:
            if time.monotonic() - self.asked_at > FORGOTTEN_SECONDS:
                self.epoch = None
                self.points.clear()
                return
            self.number += 1
            if ids is UNKNOWN:
                self.whole[identity] = self.number
            else:
                for one in ids:
                    self.points[identity, one] = self.number
                    self.points.move_to_end((identity, one))
            while len(self.points) > MOST_POINTS:
                self.floor = self.points.popitem(last=False)[1]
            self.changed.notify_all()

    def touch_structure(self):
        """Collections, their settings or aliases have changed."""
        if self.epoch is None:
            return
        with self.changed:
            self.number += 1
            self.structure = self.number
            self.changed.notify_all()

    def place(self, epoch, number):
        """The number in this history of a position, also of the one at which it begins; None for any other."""
        if (epoch, number) == self.predecessor:
            return 0
        return number if epoch == self.epoch and number <= self.number else None

    def since(self, epoch, number, wait):
        """The changes since a position in the feed. Waits up to `wait` seconds for the first one."""
        with self.changed:
            self.asked_at = time.monotonic()
            if self.epoch is None:
                self.begin((uuid.uuid4().hex, 0))
            number = self.place(epoch, number)
            began = self.epoch
            self.changed.wait_for(lambda: number is None or self.number > number or self.epoch != began, timeout=wait)
            if self.epoch != began:
                # Numbers of one history mean nothing in another.
                number = self.place(began, number)
            if number is None or number < self.floor:
                return {"epoch": self.epoch, "number": self.number, "is_reset": True, "is_structure": True, "points": {}, "whole": []}
            points = {}
            for (identity, one), at in reversed(self.points.items()):
                if at <= number:
                    break
                points.setdefault(identity, []).append(one)
            return {
                "epoch": self.epoch,
                "number": self.number,
                "is_reset": False,
                "is_structure": self.structure > number,
                "points": points,
                "whole": [identity for identity, at in self.whole.items() if at > number],
            }
