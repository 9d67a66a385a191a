"""Whether this member serves, or follows the one that does. A follower passes requests on to it, so that no client notices a switch."""

import contextlib
import json
import threading

from .errors import Refusal

# Writes wait at a switch for at most so long, and a switch for writes that have begun.
WAIT_SECONDS = 10
END_SECONDS = 5


def begins_as(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"key": "", "follows": None}


class Elsewhere(Exception):
    """Another member serves: the request is its."""


class Role:
    """`path`: a file with what the member begins as."""

    def __init__(self, path, feed):
        self.feed = feed
        self.condition = threading.Condition()
        self.running = 0
        self.is_stopped = False
        # Of the latest decision that this member was told.
        self.term = 0
        # Requests that could not be answered in time because of a switch.
        self.refused = 0
        self.follower = None
        known = begins_as(path)
        self.key = known["key"]
        self.leader = known["follows"]

    @property
    def leads(self):
        return self.leader is None and not self.is_stopped

    @contextlib.contextmanager
    def serving(self, changes):
        """Around a request. Changes wait while a switch is under way. @raises Elsewhere"""
        with self.condition:
            if changes and not self.condition.wait_for(lambda: not self.is_stopped, timeout=WAIT_SECONDS):
                self.refused += 1
                raise Refusal(503, "Service unavailable: the cluster is being switched. Try again.", retry_after=1)
            if self.leader is not None:
                raise Elsewhere
            self.running += changes
        try:
            yield
        finally:
            with self.condition:
                self.running -= changes
                self.condition.notify_all()

    def take_term(self, term):
        """@raises Refusal for what was decided before the latest decision"""
        if term < self.term:
            raise Refusal(409, f"The member has been told of decision {self.term} already.")
        self.term = term

    def stop(self, term):
        """From now on changes wait; those that have begun have ended."""
        with self.condition:
            self.take_term(term)
            if self.leader is not None:
                raise Refusal(409, "The member follows another one.")
            self.is_stopped = True
            if not self.condition.wait_for(lambda: self.running == 0, timeout=END_SECONDS):
                self.is_stopped = False
                self.condition.notify_all()
                raise Refusal(503, "A change has not ended in time.")

    def lead(self, term):
        """Takes changes; those that waited go on."""
        self.follower.require_whole()
        with self.condition:
            self.take_term(term)
            has_followed = self.leader is not None
            # What the follower has in hand comes first.
            self.is_stopped, self.leader = self.is_stopped or has_followed, None
        if has_followed:
            self.feed.begin(self.follower.ended())
        with self.condition:
            self.is_stopped = False
            self.condition.notify_all()

    def follow(self, term, leader):
        """Follows another member; changes that waited are passed on to it."""
        with self.condition:
            self.take_term(term)
            if self.leader is None:
                if not self.is_stopped and self.running > 0:
                    self.is_stopped = True
                    self.condition.wait_for(lambda: self.running == 0, timeout=END_SECONDS)
                self.follower.begin_at(self.feed.epoch, self.feed.number)
            self.leader = leader
            self.is_stopped = False
            self.condition.notify_all()
