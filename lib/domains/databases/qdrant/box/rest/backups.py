"""Backups for the platform: all collections as they leave a member, and as another one begins with them."""

import json
import os
import shutil
import signal
import tarfile
import threading

import qdrant_edge as core

import frames

from .errors import Refusal
from .snapshots import COMPLETE, MOST_FILES, unpack, write_full
from .store import MOST_COLLECTIONS, Store, say, write_durably

PAGE = 256


def give_to_platform(store, run):
    """Sends all collections to whoever asks at the platform's socket."""

    def write(sink):
        write_full(store, sink)

    threading.Thread(target=frames.give, args=(write, say, os.path.join(run, "backup.sock")), daemon=True).start()


def restore(root, run, incarnation):
    """Waits for the data of a backup, unless this member has them. They take the place of all others."""
    mark = f"{root}.restored"
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if os.path.exists(mark):
        with open(mark) as file:
            if json.load(file) == incarnation:
                return
    draft = f"{root}.new"

    def take(source):
        shutil.rmtree(draft, ignore_errors=True)
        os.makedirs(draft)
        try:
            with tarfile.open(fileobj=source, mode="r|", bufsize=1 << 18) as archive:
                unpack(archive, draft, MOST_COLLECTIONS * MOST_FILES)
            source.finish()
            keep_complete(draft)
        except (Refusal, tarfile.TarError) as error:
            raise OSError(str(error)) from error
        os.sync()
        shutil.rmtree(root, ignore_errors=True)
        os.rename(draft, root)
        write_durably(mark, incarnation)

    frames.restore(take, say, os.path.join(run, "restore.sock"))


def keep_complete(folder):
    """Opens each collection once. @raises OSError when one cannot be opened"""
    with open(os.path.join(folder, COMPLETE)) as file:
        complete = json.load(file)
    os.remove(os.path.join(folder, COMPLETE))
    collections = os.path.join(folder, "collections")
    os.makedirs(collections, exist_ok=True)
    for name in set(os.listdir(collections)) - set(complete):
        shutil.rmtree(os.path.join(collections, name))
    store = Store(folder)
    if store.broken or len(store.by_name) != len(complete):
        raise OSError(f"{len(store.by_name)} of {len(complete)} collections can be opened")
    for collection in store.by_name.values():
        collection.shard.close()


def check(root, run):
    """Reads every point of what was restored, and says at a socket what that was; never returns."""
    try:
        store = Store(root)
        if store.broken:
            raise OSError("a collection cannot be opened")
        points = sum(read(collection) for collection in store.by_name.values())
        found = f"{points} points in {len(store.by_name)} collections"
    except BaseException as error:
        found = f"damaged: {str(error)[:150]}"
    frames.tell_checked(" ".join(found.split()), os.path.join(run, "checked.sock"))


def read(collection):
    """@returns how many points a collection has, with their payloads and vectors"""
    count, offset = 0, None
    while True:
        wish = core.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=True)
        points, offset = collection.shard.scroll(wish)
        count += len(points)
        if offset is None:
            return count
