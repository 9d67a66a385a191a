"""Backups for the platform: the server's files as of one moment, as they leave a member, and as another one begins with them."""

import os
import re
import select
import shutil
import signal
import tarfile
import threading

import frames
from daemon import Daemon, connect

CHUNK = 1 << 16
MOST_FILES = 10_000
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
NEEDED = ("WiredTiger", "WiredTiger.backup")
OWN = ("admin", "config", "local")


def say(text):
    print(text, flush=True)


def give_to_platform(ask, run):
    """Sends all data to whoever asks at the platform's socket. @param ask runs a command of the server's"""

    def write(sink):
        pipe = os.path.join(run, "backup.fifo")
        if os.path.exists(pipe):
            os.unlink(pipe)
        os.mkfifo(pipe, 0o600)
        result = []

        def order():
            try:
                # Into a pipe: there may be no room for a second copy on the disk.
                ask({"secantusAdmin.backupArchive": 1, "outputPath": pipe})
                result.append(None)
            except Exception as error:
                result.append(error)

        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            ordered = threading.Thread(target=order, daemon=True)
            ordered.start()
            while True:
                is_over = not ordered.is_alive()
                select.select([end], [], [], 0.05)
                try:
                    part = os.read(end, CHUNK)
                except BlockingIOError:
                    continue
                if part:
                    sink.write(part)
                elif is_over:
                    break
                else:
                    ordered.join(0.02)
        finally:
            os.close(end)
            os.unlink(pipe)
        if result[0] is not None:
            raise result[0]

    threading.Thread(target=frames.give, args=(write, say, os.path.join(run, "backup.sock")), daemon=True).start()


def unpack(source, folder):
    """Writes the files of an archive. @raises OSError for one that is none of a server's"""
    with tarfile.open(fileobj=source, mode="r|gz", bufsize=1 << 18) as archive:
        for count, one in enumerate(archive):
            if count >= MOST_FILES or not one.isreg() or not FILE.fullmatch(one.name):
                raise OSError("an archive with something else than files")
            with archive.extractfile(one) as content, open(os.path.join(folder, one.name), "wb") as file:
                shutil.copyfileobj(content, file, CHUNK)
    if not all(os.path.exists(os.path.join(folder, name)) for name in NEEDED):
        raise OSError("an archive without the server's data")


def restore(root, run, incarnation):
    """Waits for the data of a backup, unless this member has them. They take the place of all others."""
    mark = f"{root}.restored"
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if os.path.exists(mark):
        with open(mark) as file:
            if file.read() == incarnation:
                return
    draft = f"{root}.new"

    def take(source):
        shutil.rmtree(draft, ignore_errors=True)
        os.makedirs(draft)
        try:
            unpack(source, draft)
            source.finish()
        except (tarfile.TarError, EOFError) as error:
            raise OSError(str(error)) from error
        os.sync()
        shutil.rmtree(root, ignore_errors=True)
        os.rename(draft, root)
        with open(mark, "w") as file:
            file.write(incarnation)
            file.flush()
            os.fsync(file.fileno())

    frames.restore(take, say, os.path.join(run, "restore.sock"))


def check(root, run, cache_mb):
    """Reads every document of what was restored, and says at a socket what that was; never returns."""
    try:
        daemon = Daemon(root, cache_mb)
        daemon.start(needs_password=False)
        with connect(600_000) as client:
            spaces = [
                client[name][own]
                for name in client.list_database_names()
                if name not in OWN
                for own in client[name].list_collection_names(filter={"type": "collection"})
            ]
            documents = sum(sum(1 for _ in one.find({})) for one in spaces)
        daemon.stop()
        found = f"{documents} documents in {len(spaces)} collections"
    except BaseException as error:
        found = f"damaged: {str(error)[:150]}"
    frames.tell_checked(" ".join(found.split()), os.path.join(run, "checked.sock"))

