"""Data as they come and go through Unix sockets: frames of four bytes that say how many follow. One of none is the last."""

import os
import socket
import struct

CHUNK = 1 << 16
SILENT_SECONDS = 120


class Source:
    """Reads what frames hold, like a file."""

    def __init__(self, client):
        client.settimeout(SILENT_SECONDS)
        self.client, self.left, self.is_whole = client, 0, False

    def exactly(self, count):
        parts = []
        while count:
            part = self.client.recv(count)
            if not part:
                raise OSError("what was sent is cut")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def read(self, size=-1):
        """At most so many bytes; all of them if not told; none at the end. Raises OSError when it is cut."""
        parts = []
        while size and not self.is_whole:
            if not self.left:
                (self.left,) = struct.unpack("!I", self.exactly(4))
                self.is_whole = not self.left
                continue
            part = self.exactly(min(self.left, CHUNK) if size < 0 else min(self.left, size, CHUNK))
            parts.append(part)
            self.left -= len(part)
            size = size if size < 0 else size - len(part)
        return b"".join(parts)

    def finish(self):
        """Reads what follows the content of an archive. Raises OSError when it is cut."""
        while self.read(CHUNK):
            pass


class Sink:
    """Writes frames, like a file. Without `finish` the reader knows that they are cut."""

    def __init__(self, client):
        client.settimeout(SILENT_SECONDS)
        self.client = client

    def write(self, data):
        if data:
            self.client.sendall(struct.pack("!I", len(data)) + bytes(data))
        return len(data)

    def finish(self):
        self.client.sendall(struct.pack("!I", 0))


def listen(path):
    """A Unix socket that the platform alone reaches."""
    if os.path.exists(path):
        os.unlink(path)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    os.chmod(path, 0o600)
    server.listen(4)
    return server


def restore(take, say, path="/run/service/restore.sock"):
    """Waits for the data of a backup, until `take` has made all of them its own."""
    say("waiting for the data of a backup")
    with listen(path) as server:
        while True:
            client, _ = server.accept()
            with client:
                try:
                    client.sendall(b"data\n")
                    take(Source(client))
                except (OSError, ValueError) as error:
                    say(f"restoring: {error}")
                    continue
                try:
                    client.sendall(b"done\n")
                except OSError:
                    pass
                break
    os.unlink(path)


def give(write, say, path="/run/service/backup.sock"):
    """Sends all data to whoever asks, one after the other; never returns. `write` writes them into what it gets."""
    with listen(path) as server:
        while True:
            client, _ = server.accept()
            with client:
                try:
                    sink = Sink(client)
                    write(sink)
                    sink.finish()
                except Exception as error:
                    # The next one may succeed.
                    say(f"backup: {error}")


def tell_checked(text, path="/run/service/checked.sock"):
    """Says what a check has read, to whoever asks; never returns."""
    with listen(path) as server:
        while True:
            client, _ = server.accept()
            with client:
                try:
                    client.sendall(f"{text}\n".encode())
                except OSError:
                    pass
