"""Snapshots: a collection, or all of them, as one file. They come from this cluster or an upload, never from an address."""

import contextlib
import datetime
import errno
import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import uuid

from .errors import Refusal, missing, wrong
from .store import collection_name, sync_folder

MOST_FILES = 50_000
NO_SNAPSHOT = "This is no snapshot of a collection"
# In an archive of all collections: those that are in it from begin to end.
COMPLETE = "complete.json"
SNAPSHOT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


def stamp():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d-%H-%M-%S")


def described(path):
    """A snapshot in a list. Its checksum was written beside it when it was made."""
    found = os.stat(path)
    made = datetime.datetime.fromtimestamp(found.st_mtime, datetime.timezone.utc)
    try:
        with open(f"{path}.sha256") as file:
            checksum = file.read().strip()
    except FileNotFoundError:
        checksum = None
    name = os.path.basename(path)
    return {"name": name, "creation_time": made.strftime("%Y-%m-%dT%H:%M:%S"), "size": found.st_size, "checksum": checksum}


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def listed(folder):
    if not os.path.isdir(folder):
        return []
    return [described(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".snapshot")]


def file_of(folder, name):
    """The file of a snapshot. @raises Refusal for a name that is none"""
    path = os.path.join(folder, name)
    if not SNAPSHOT_NAME.fullmatch(name) or not name.endswith(".snapshot") or not os.path.isfile(path):
        raise missing(f"Snapshot {name[:64]} not found")
    return path


def remove(path):
    os.remove(path)
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{path}.sha256")


@contextlib.contextmanager
def whole(collection):
    """The collection as it is on disk, while neither writes nor the optimizer change it. Searches go on, and so do writes
    while the optimizer is waited for."""
    with collection.reading(), collection.maintenance, collection.update_lock:
        collection.shard.flush()
        yield


def allocated(folder):
    return sum(os.stat(os.path.join(base, name)).st_blocks * 512 for base, _, names in os.walk(folder) for name in names)


def copy_sparsely(source, target):
    """Copies a file without its holes, of which the core's own have many."""
    with open(source, "rb") as reader, open(target, "wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        os.ftruncate(writer.fileno(), size)
        at = 0
        while at < size:
            try:
                at = os.lseek(reader.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                break
            end = os.lseek(reader.fileno(), at, os.SEEK_HOLE)
            os.lseek(writer.fileno(), at, os.SEEK_SET)
            while at < end and (sent := os.sendfile(writer.fileno(), reader.fileno(), at, end - at)):
                at += sent


@contextlib.contextmanager
def frozen(store, collection):
    """A folder with the collection as of one moment. Writes wait for a local copy alone, or longer where that has no room."""
    folder = os.path.join(store.incoming, uuid.uuid4().hex)
    try:
        with whole(collection):
            if not store.has_room_for(allocated(collection.folder)):
                yield collection.folder
                return
            shutil.copytree(collection.folder, folder, copy_function=copy_sparsely)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def finish(draft, path):
    with open(draft, "rb") as file:
        os.fsync(file.fileno())
    with open(f"{path}.sha256", "w") as file:
        file.write(sha256_of(draft))
    os.rename(draft, path)
    sync_folder(os.path.dirname(path))
    return described(path)


def take(store, collection):
    """Makes a snapshot of one collection."""
    store.require_room()
    folder = store.snapshots_of(collection)
    os.makedirs(folder, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", collection.name)[:100]
    path = os.path.join(folder, f"c{safe}-{stamp()}-{uuid.uuid4().hex[:8]}.snapshot")
    draft = os.path.join(store.incoming, uuid.uuid4().hex)
    try:
        with whole(collection), tarfile.open(draft, "w") as archive:
            archive.add(collection.description, arcname="collection.json")
            archive.add(os.path.join(collection.folder, "shard"), arcname="shard")
        return finish(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(draft)


def full_folder(store):
    return os.path.join(store.snapshots, "full")


def write_full(store, file):
    """Writes all collections and aliases as one archive, each collection as of a moment of its own. Works on a full disk too.

    @raises Refusal when a collection cannot be opened: a copy without it would not be whole
    """
    if store.broken:
        raise Refusal(500, "Service internal error: a collection cannot be opened, and a snapshot would be without it")
    with store.lock:
        collections = list(store.by_name.values())
        aliases = dict(store.aliases)
    complete = []
    with tarfile.open(fileobj=file, mode="w|", bufsize=1 << 18) as archive:
        for collection in collections:
            name = os.path.basename(collection.folder)
            try:
                with frozen(store, collection) as folder:
                    archive.add(os.path.join(folder, "collection.json"), arcname=f"collections/{name}/collection.json")
                    archive.add(os.path.join(folder, "shard"), arcname=f"collections/{name}/shard")
            except (Refusal, OSError):
                # Deleted meanwhile: what was written of it is not in the list.
                if not collection.is_gone:
                    raise
                continue
            complete.append(name)
        add_text(archive, "aliases.json", json.dumps(aliases))
        add_text(archive, COMPLETE, json.dumps(complete))


def add_text(archive, name, text):
    content = text.encode()
    described_as = tarfile.TarInfo(name)
    described_as.size = len(content)
    archive.addfile(described_as, io.BytesIO(content))


def take_full(store):
    folder = full_folder(store)
    os.makedirs(folder, exist_ok=True)
    store.require_room()
    path = os.path.join(folder, f"full-snapshot-{stamp()}-{uuid.uuid4().hex[:8]}.snapshot")
    draft = os.path.join(store.incoming, uuid.uuid4().hex)
    try:
        with open(draft, "wb") as file:
            write_full(store, file)
        return finish(draft, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(draft)


def unpack(archive, folder, most_files=MOST_FILES):
    """Unpacks a snapshot: plain files and folders below `folder`, nothing else.

    @raises Refusal for anything else, before it is written
    """
    try:
        for count, member in enumerate(archive):
            parts = member.name.split("/")
            if count >= most_files or len(parts) > 16 or len(member.name) > 512:
                raise wrong(NO_SNAPSHOT)
            if member.name.startswith("/") or any(part in ("", ".", "..") or "\0" in part for part in parts):
                raise wrong(NO_SNAPSHOT)
            target = os.path.join(folder, *parts)
            if member.isdir():
                os.makedirs(target, exist_ok=True)
            elif member.isreg():
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with archive.extractfile(member) as source, open(target, "xb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
            else:
                raise wrong(NO_SNAPSHOT)
    except (tarfile.TarError, EOFError, FileExistsError, NotADirectoryError, IsADirectoryError, ValueError):
        raise wrong(NO_SNAPSHOT) from None


def unpack_file(path, folder):
    """@raises Refusal for a file that is no snapshot"""
    try:
        archive = tarfile.open(path, "r:")
    except (tarfile.TarError, EOFError, ValueError):
        raise wrong(NO_SNAPSHOT) from None
    with archive:
        unpack(archive, folder)


def recover(store, name, path, checksum=None):
    """Makes a collection what a snapshot holds; until that is complete, it serves as before."""
    from .store import Collection

    collection_name(name)
    store.require_room()
    if checksum is not None and checksum != sha256_of(path):
        raise wrong("Snapshot checksum mismatch")
    if name in store.aliases:
        raise wrong(f"{name[:40]} is an alias")
    folder = store.new_folder()
    draft = f"{folder}.new"
    try:
        os.makedirs(draft)
        unpack_file(path, draft)
        if sorted(os.listdir(draft)) != ["collection.json", "shard"]:
            raise wrong(NO_SNAPSHOT)
        collection = Collection(draft, store)
        try:
            collection.load()
            collection.name, collection.origin = name, None
            collection.save()
            collection.shard.close()
        except BaseException as error:
            raise wrong(f"The snapshot cannot be opened: {str(error)[:200]}") from None
        with store.lock:
            former = store.by_name.get(name)
            kept = None if former is None else store.snapshots_of(former)
            adopted = store.adopt(draft, folder)
            if kept is not None and os.path.isdir(kept):
                os.rename(kept, store.snapshots_of(adopted))
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def local_file(store, collection, location):
    """The snapshot that a location names. Addresses are refused: a cluster fetches nothing."""
    if not isinstance(location, str) or not location.startswith("file://"):
        raise wrong("location: this cluster fetches from no address. Upload the snapshot, or name one of its own.")
    name = location.removeprefix("file://").rsplit("/", 1)[-1]
    if collection is None:
        raise missing(f"Snapshot {name[:64]} not found")
    return file_of(store.snapshots_of(collection), name)
