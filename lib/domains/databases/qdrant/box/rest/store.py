"""The collections of a cluster on disk. Their folders have ids for names, so that no name of a collection is ever part of a path."""

import contextlib
import json
import os
import shutil
import threading
import time
import uuid

import qdrant_edge as core

from .config import core_config, payload_index
from .errors import Refusal, conflict, malformed, missing, no_collection, wrong
from .feed import Feed
from .read import mapping, required, text
from .vectors import Shape

MOST_COLLECTIONS = 500
MOST_ALIASES = 5_000
# The core before 0.9 has a log, and does not repeat it when it opens a collection.
REPEATS_LOG = hasattr(core.EdgeConfig, "wal_enabled")
FORBIDDEN = set('<>:"/\\|?*\0\x1f')


def say(message):
    print(message, flush=True)


def write_durably(path, value):
    """Replaces a file; once this returns it survives a loss of power."""
    draft = f"{path}.new"
    with open(draft, "w") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync_folder(os.path.dirname(path))


def sync_folder(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def collection_name(name, where="collection_name"):
    text(name, where, 1_000_000)
    if not 1 <= len(name) <= 255:
        raise Refusal(422, f"Validation error in path parameters: [{where}: value \"{name[:20]}\" invalid, must be from 1 to 255 characters]")
    if name in (".", "..") or any(character in FORBIDDEN or ord(character) < 32 for character in name):
        raise Refusal(422, f"Validation error in path parameters: [{where}: value \"{name[:40]}\" invalid, collection name cannot contain control characters or any of < > : \" / \\ | ? *]")
    return name


class Gate:
    """Many may be inside; whoever closes or replaces the shard is there alone."""

    def __init__(self):
        self.condition = threading.Condition()
        self.inside = 0
        self.is_closed = False

    @contextlib.contextmanager
    def shared(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.is_closed)
            self.inside += 1
        try:
            yield
        finally:
            with self.condition:
                self.inside -= 1
                self.condition.notify_all()

    @contextlib.contextmanager
    def alone(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.is_closed)
            self.is_closed = True
            self.condition.wait_for(lambda: self.inside == 0)
        try:
            yield
        finally:
            with self.condition:
                self.is_closed = False
                self.condition.notify_all()


class Collection:
    def __init__(self, folder, store):
        self.folder = folder
        self.store = store
        self.gate = Gate()
        # Taken before `update_lock`: by the optimizer, and by whoever copies the files.
        self.maintenance = threading.Lock()
        self.update_lock = threading.Lock()
        self.is_gone = False
        self.must_reload = False
        self.is_optimizing = False
        self.last_write = time.monotonic()
        self.is_dirty = True
        # Whether it was copied, and the optimizer has not seen all of it yet.
        self.is_new = False
        self.operations = self.flushed = 0
        self.flush_lock = threading.Lock()
        # Of another member's collection, whose copy this is.
        self.origin = None

    @property
    def identity(self):
        """The name that all members know the collection by. Renaming it does not change this."""
        return self.origin or os.path.basename(self.folder).split(".")[0]

    # A collection's own description: its name, and what it was created and changed with.
    @property
    def description(self):
        return os.path.join(self.folder, "collection.json")

    def create(self, name, body):
        self.name, self.body, self.indexes = name, body, {}
        self.shape = Shape(body)
        path = os.path.join(self.folder, "shard")
        # The core before 0.9 wants it to be there.
        os.makedirs(path)
        self.shard = core.EdgeShard.create(path, core_config(body, self.store.threads))
        self.shard.flush()
        self.save()

    def load(self):
        with open(self.description) as file:
            known = json.load(file)
        self.name, self.body, self.indexes = known["name"], known["body"], known["indexes"]
        self.origin = known.get("origin")
        self.shape = Shape(self.body)
        self.shard = core.EdgeShard.load(os.path.join(self.folder, "shard"), core_config(self.body, self.store.threads))

    def save(self):
        write_durably(self.description, {"name": self.name, "body": self.body, "indexes": self.indexes, "origin": self.origin})
        self.store.feed.touch_structure()

    @contextlib.contextmanager
    def reading(self):
        with self.gate.shared():
            if self.is_gone:
                raise no_collection(self.name)
            yield

    @contextlib.contextmanager
    def writing(self):
        self.store.require_room()
        with self.reading():
            with self.update_lock:
                yield
            self.keep()

    def keep(self):
        """Returns once the changes would survive a kill. Concurrent callers share a flush."""
        if REPEATS_LOG:
            return
        mine = self.operations
        with self.flush_lock:
            if self.flushed < mine:
                latest = self.operations
                self.shard.flush()
                self.flushed = latest

    def apply(self, operation):
        """Logged by the core before it returns. The caller is inside `writing`, at whose end it survives a kill."""
        self.shard.update(operation)
        self.is_dirty = True
        self.last_write = time.monotonic()
        self.operations += 1

    def at_most(self, limit):
        """A limit or offset beyond what there is reserves memory for nothing."""
        return min(limit, self.shard.info().points_count + 1)

    def change_settings(self, change):
        """Merges settings. The core takes them when it opens the shard anew."""
        body = {**self.body}
        for key in ("hnsw_config", "optimizers_config", "metadata"):
            if change.get(key) is not None:
                merged = {**(body.get(key) or {}), **mapping(change[key], key)}
                body[key] = {name: value for name, value in merged.items() if not (key == "metadata" and value is None)}
        if "quantization_config" in change and change["quantization_config"] is not None:
            wanted = change["quantization_config"]
            body["quantization_config"] = None if wanted == "Disabled" else wanted
        params = mapping(change.get("params") or {}, "params")
        if params.get("on_disk_payload") is not None:
            body["on_disk_payload"] = params["on_disk_payload"]
        for kind in ("vectors", "sparse_vectors"):
            for name, settings in mapping(change.get(kind) or {}, kind).items():
                self.merge_vector(body, kind, name, mapping(settings, f"{kind}.{name}"))
        self.take_body(body)

    def take_body(self, body):
        """Replaces all settings. @raises Refusal if the core does not support one"""
        core_config(body, self.store.threads)
        with self.update_lock:
            self.body = body
            self.save()
            self.must_reload = True
        self.reload_when_idle()

    def merge_vector(self, body, kind, name, settings):
        known = {**(body.get(kind) or {})}
        fixed = ("size", "distance", "multivector_config", "datatype")
        settings = {key: value for key, value in settings.items() if key not in fixed}
        if kind == "vectors" and name == "" and "size" in known:
            body[kind] = merged(known, settings)
            return
        if name not in known or ("size" in known and kind == "vectors" and not isinstance(known["size"], dict)):
            raise wrong(f"Not existing vector name error: {name}")
        known[name] = merged(known[name] or {}, settings)
        body[kind] = known

    def reload_when_idle(self):
        """At once, unless the optimizer is at work, which then does it at its end."""
        if self.is_optimizing or not self.must_reload:
            return
        with self.gate.alone():
            if self.is_gone or not self.must_reload or self.is_optimizing:
                return
            self.shard.flush()
            self.shard.close()
            self.shard = core.EdgeShard.load(os.path.join(self.folder, "shard"), core_config(self.body, self.store.threads))
            self.must_reload = False
            self.is_dirty = True

    def create_index(self, field, schema):
        wanted = payload_index(schema)
        with self.writing():
            self.apply(core.UpdateOperation.create_field_index(field, wanted))
            self.indexes = {**self.indexes, field: schema}
            self.save()

    def delete_index(self, field):
        with self.writing():
            self.apply(core.UpdateOperation.delete_field_index(field))
            self.indexes = {name: schema for name, schema in self.indexes.items() if name != field}
            self.save()


def merged(known, settings):
    result = {**known}
    for key, value in settings.items():
        if value is None:
            continue
        if key == "quantization_config" and value == "Disabled":
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict) and key != "quantization_config":
            result[key] = {**result[key], **value}
        else:
            result[key] = value
    return result


class Store:
    """`threads`: of the searches of each collection. `keep_free`: bytes of the disk that writes must leave."""

    def __init__(self, root, threads=2, keep_free=0):
        self.root = root
        self.threads = threads
        self.keep_free = keep_free
        self.lock = threading.RLock()
        self.by_name = {}
        self.aliases = {}
        self.broken = {}
        self.feed = Feed()
        self.free_at = 0.0
        self.is_full = False
        self.folder = os.path.join(root, "collections")
        self.snapshots = os.path.join(root, "snapshots")
        self.incoming = os.path.join(root, "incoming")
        for path in (self.folder, self.snapshots):
            os.makedirs(path, exist_ok=True)
        shutil.rmtree(self.incoming, ignore_errors=True)
        os.makedirs(self.incoming)
        self.load()

    def load(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if "." in name or not os.path.exists(os.path.join(path, "collection.json")):
                # Begun and not finished, or deleted and not yet removed.
                shutil.rmtree(path, ignore_errors=True)
                continue
            collection = Collection(path, self)
            try:
                collection.load()
            except BaseException as error:
                # One that cannot be opened leaves the others in service.
                self.broken[name] = str(error)[:300]
                say(f"a collection cannot be opened: {self.broken[name]}")
                continue
            self.by_name[collection.name] = collection
        try:
            with open(os.path.join(self.root, "aliases.json")) as file:
                self.aliases = json.load(file)
        except FileNotFoundError:
            pass
        self.aliases = {alias: name for alias, name in self.aliases.items() if name in self.by_name}

    def find(self, name):
        collection_name(name)
        found = self.by_name.get(self.aliases.get(name, name))
        if found is None:
            raise no_collection(name)
        return found

    def exists(self, name):
        collection_name(name)
        return self.aliases.get(name, name) in self.by_name

    def require_room(self):
        """@raises Refusal while the disk is nearly full: deleting still works then."""
        now = time.monotonic()
        if now - self.free_at > 0.5:
            self.free_at = now
            found = os.statvfs(self.root)
            self.is_full = found.f_bavail * found.f_frsize < self.keep_free
        if self.is_full:
            raise Refusal(507, "Service runtime error: No space left: the disk is nearly full. Enlarge the storage of the cluster, or delete collections.")

    def has_room_for(self, amount):
        """Whether so many bytes leave twice as much free as writes must."""
        found = os.statvfs(self.root)
        return found.f_bavail * found.f_frsize - amount > 2 * self.keep_free

    def new_folder(self):
        return os.path.join(self.folder, uuid.uuid4().hex)

    def create(self, name, body, origin=None):
        """@param origin the identity of another member's collection, whose copy this becomes"""
        collection_name(name)
        core_config(body, self.threads)
        self.require_room()
        with self.lock:
            if name in self.by_name or name in self.aliases:
                raise conflict(f"Collection `{name}` already exists!")
            if len(self.by_name) >= MOST_COLLECTIONS:
                raise wrong(f"A cluster has at most {MOST_COLLECTIONS} collections")
            folder = self.new_folder()
            draft = f"{folder}.new"
            try:
                os.makedirs(draft)
                collection = Collection(draft, self)
                collection.origin = origin
                collection.create(name, body)
                collection.shard.close()
                self.adopt(draft, folder)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise

    def adopt(self, draft, folder):
        """Makes a complete folder a collection, in the place of one of the same name."""
        os.rename(draft, folder)
        sync_folder(self.folder)
        collection = Collection(folder, self)
        collection.load()
        former = self.by_name.get(collection.name)
        self.by_name[collection.name] = collection
        if former is not None:
            self.remove(former)
        self.feed.touch_structure()
        return collection

    def remove(self, collection):
        """Gone for clients at once, and from the disk as soon as nobody uses it."""
        collection.is_gone = True
        gone = f"{collection.folder}.gone"
        os.rename(collection.folder, gone)
        sync_folder(self.folder)

        def clear():
            with collection.gate.alone():
                with contextlib.suppress(BaseException):
                    collection.shard.close()
                shutil.rmtree(gone, ignore_errors=True)

        threading.Thread(target=clear, daemon=True).start()

    def delete(self, name):
        collection_name(name)
        with self.lock:
            collection = self.by_name.pop(name, None)
            if collection is None:
                return False
            self.save_aliases({alias: target for alias, target in self.aliases.items() if target != name})
            shutil.rmtree(self.snapshots_of(collection), ignore_errors=True)
            self.remove(collection)
            self.feed.touch_structure()
        return True

    def snapshots_of(self, collection):
        return os.path.join(self.snapshots, os.path.basename(collection.folder).split(".")[0])

    def save_aliases(self, aliases):
        write_durably(os.path.join(self.root, "aliases.json"), aliases)
        self.aliases = aliases
        self.feed.touch_structure()

    def change_aliases(self, actions):
        """All of them, or none."""
        with self.lock:
            aliases = {**self.aliases}
            for action in actions:
                self.change_alias(aliases, mapping(action, "actions"))
            if len(aliases) > MOST_ALIASES:
                raise wrong(f"A cluster has at most {MOST_ALIASES} aliases")
            self.save_aliases(aliases)

    def change_alias(self, aliases, action):
        if "create_alias" in action:
            wish = mapping(action["create_alias"], "create_alias")
            target = collection_name(required(wish, "collection_name"))
            alias = collection_name(required(wish, "alias_name"), "alias_name")
            if target not in self.by_name:
                raise no_collection(target)
            if alias in self.by_name:
                raise conflict(f"Collection `{alias}` already exists!")
            aliases[alias] = target
        elif "delete_alias" in action:
            aliases.pop(text(required(action["delete_alias"], "alias_name"), "alias_name"), None)
        elif "rename_alias" in action:
            wish = mapping(action["rename_alias"], "rename_alias")
            former = text(required(wish, "old_alias_name"), "old_alias_name")
            alias = collection_name(required(wish, "new_alias_name"), "new_alias_name")
            if former not in aliases:
                raise missing(f"Alias {former[:40]} does not exists!")
            if alias in self.by_name:
                raise conflict(f"Collection `{alias}` already exists!")
            aliases[alias] = aliases.pop(former)
        else:
            raise malformed("unknown variant, expected create_alias, delete_alias or rename_alias")

    def close(self):
        """Writes everything down, for a short next start."""
        with self.lock:
            for collection in self.by_name.values():
                collection.shard.flush()


class Optimizer(threading.Thread):
    """Merges segments and builds their indexes in the background, after writes have paused for a moment or gone on for long."""

    def __init__(self, store, quiet=1.0, longest=15.0, flush_every=5.0):
        super().__init__(daemon=True)
        self.store = store
        self.quiet, self.longest, self.flush_every = quiet, longest, flush_every
        self.last = {}

    def run(self):
        while True:
            time.sleep(0.5)
            for collection in list(self.store.by_name.values()):
                try:
                    self.look(collection)
                except BaseException as error:
                    say(f"a collection could not be optimized: {str(error)[:300]}")
                    time.sleep(1)

    def look(self, collection):
        now = time.monotonic()
        since = self.last.setdefault(collection.folder, now)
        if collection.is_gone:
            self.last.pop(collection.folder, None)
            return
        collection.reload_when_idle()
        if not collection.is_dirty:
            self.last[collection.folder] = now
            return
        if now - collection.last_write < self.quiet and now - since < self.longest:
            return
        self.last[collection.folder] = now
        collection.is_dirty = False
        collection.is_optimizing = True
        try:
            with collection.reading(), collection.maintenance:
                collection.shard.flush()
                collection.shard.optimize()
                collection.is_new = False
        except Refusal:
            pass
        finally:
            collection.is_optimizing = False
        collection.reload_when_idle()

