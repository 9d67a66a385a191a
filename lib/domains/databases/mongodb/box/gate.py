"""What clients reach: TLS, and the commands that a tenant may send. Everything else is the server's, which listens in this box alone."""

import asyncio
import os
import time

import wire
from journal import pair_of

HANDSHAKE_SECONDS = 10
MOST_CLIENTS = 400
CHUNK = 1 << 16
LOOK_SECONDS = 1
# Drivers take a server of this protocol for one of 7.0, which has no writes to several databases in one command.
MOST_WIRE_VERSION = 21

HELLO = frozenset({"hello", "isMaster", "ismaster"})
SIGN_IN = frozenset({"saslStart", "saslContinue"})
RETRIED = frozenset({"insert", "update", "delete", "findAndModify", "findandmodify"})
WRITES = RETRIED | {"create", "createIndexes", "collMod", "renameCollection"}
ALLOWED = (
    HELLO
    | SIGN_IN
    | WRITES
    | {
        "abortTransaction",
        "aggregate",
        "buildInfo",
        "buildinfo",
        "collStats",
        "commitTransaction",
        "connectionStatus",
        "count",
        "dbStats",
        "dbstats",
        "distinct",
        "drop",
        "dropDatabase",
        "dropIndexes",
        "endSessions",
        "explain",
        "find",
        "getMore",
        "killCursors",
        "listCollections",
        "listIndexes",
        "logout",
        "ping",
        "refreshSessions",
        "replSetGetStatus",
        "startSession",
        "validate",
        "whatsmyuri",
    }
)

FULL = {
    "ok": 0.0,
    "errmsg": "The disk is nearly full: no writes are taken until its storage is enlarged.",
    "code": 14031,
    "codeName": "OutOfDiskSpace",
}
UNKNOWN = {
    "ok": 0.0,
    "errmsg": "The server ended while it ran this write. It is not repeated, because it may have been done.",
    "code": 125,
    "codeName": "CommandFailed",
}


def no_such(command):
    return {"ok": 0.0, "errmsg": f"no such command: '{command[:60]}'", "code": 59, "codeName": "CommandNotFound"}


class Client:
    """A connection from outside, with its own to the server."""

    def __init__(self, reader, writer, server_reader, server_writer):
        self.reader, self.writer = reader, writer
        self.server_reader, self.server_writer = server_reader, server_writer
        self.is_known = False
        # Answers that are read here, by the ids of what they answer.
        self.awaited = {}
        self.sending = asyncio.Lock()


class Gate:
    def __init__(self, inner_port, advertised, database, journal, state, keep_free):
        self.inner_port, self.advertised, self.database = inner_port, advertised, database
        self.journal, self.state, self.keep_free = journal, state, keep_free
        self.clients = set()
        self.looked, self.is_full = float("-inf"), False

    def end_all(self):
        """Ends all connections: whoever may still come in begins anew."""
        for client in list(self.clients):
            client.writer.transport.abort()

    def full(self):
        """@returns whether the disk has too little room for writes"""
        if time.monotonic() - self.looked > LOOK_SECONDS:
            self.looked = time.monotonic()
            room = os.statvfs(self.state)
            self.is_full = room.f_bavail * room.f_frsize < self.keep_free
        return self.is_full

    async def serve(self, reader, writer):
        """Serves one connection to its end."""
        if len(self.clients) >= MOST_CLIENTS:
            writer.transport.abort()
            return
        try:
            server = await asyncio.open_connection("127.0.0.1", self.inner_port)
        except OSError:
            writer.transport.abort()
            return
        client = Client(reader, writer, *server)
        self.clients.add(client)
        both = [asyncio.ensure_future(self.upward(client)), asyncio.ensure_future(self.downward(client))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.clients.discard(client)
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            writer.transport.abort()
            server[1].transport.abort()

    async def upward(self, client):
        """Looks at each command, and passes it on or answers it."""
        while True:
            head = await client.reader.readexactly(wire.HEADER)
            left, own, _, kind = wire.header(head)
            # Whoever has not signed in has nothing long to say.
            if left > CHUNK and not client.is_known:
                raise wire.Malformed("too long")
            data = await client.reader.readexactly(min(left, CHUNK))
            left -= len(data)
            at = wire.document_at(kind, data)
            command = wire.command_of(data, at)
            if kind == wire.OP_QUERY and command not in HELLO:
                raise wire.Malformed("a command as a query")
            if command in RETRIED or command == "renameCollection":
                missing = at + wire.size_of(data, at) - len(data)
                if missing > left:
                    raise wire.Malformed("a document that is cut")
                if missing > 0:
                    data += await client.reader.readexactly(missing)
                    left -= missing
            refusal = self.refusal(command, data, at)
            if refusal is None:
                if command in HELLO or command in SIGN_IN:
                    client.awaited[own] = (command, kind)
                client.server_writer.write(head + data)
            while left:
                part = await client.reader.read(min(left, CHUNK))
                if not part:
                    return
                left -= len(part)
                if refusal is None:
                    client.server_writer.write(part)
                    await client.server_writer.drain()
            if refusal is None:
                await client.server_writer.drain()
            elif kind == wire.OP_QUERY or not data[0] & wire.MORE_TO_COME:
                async with client.sending:
                    client.writer.write(wire.reply(kind, own, refusal))
                    await client.writer.drain()

    def refusal(self, command, data, at):
        """@returns the answer to a command that does not reach the server; None for one that does"""
        if command not in ALLOWED:
            return no_such(command)
        if command in WRITES and self.full():
            return FULL
        if command == "aggregate" and (b"$out\0" in data or b"$merge\0" in data) and self.full():
            return FULL
        if command == "renameCollection":
            target = wire.document(data, at).get("to")
            if not isinstance(target, str) or not target.startswith(f"{self.database}."):
                return {"ok": 0.0, "errmsg": "not authorized on the target", "code": 13, "codeName": "Unauthorized"}
        if command in RETRIED:
            pair = pair_of(wire.document(data, at))
            if pair is not None:
                # An insert that was done is refused by its _id; whatever else was sent before must not be done twice.
                if self.journal.sent_before(pair) and command != "insert":
                    return UNKNOWN
                self.journal.note(pair)
        return None

    async def downward(self, client):
        """Passes on what the server answers. Whom drivers should connect to is changed to the cluster's own address."""
        while True:
            head = await client.server_reader.readexactly(wire.HEADER)
            left, _, answered, _ = wire.header(head)
            awaited = client.awaited.get(answered)
            async with client.sending:
                if awaited is None:
                    client.writer.write(head)
                    while left:
                        part = await client.server_reader.read(min(left, CHUNK))
                        if not part:
                            return
                        left -= len(part)
                        client.writer.write(part)
                        await client.writer.drain()
                    await client.writer.drain()
                    continue
                data = await client.server_reader.readexactly(left)
                client.writer.write(self.changed(client, answered, *awaited, data))
                await client.writer.drain()

    def changed(self, client, answered, command, kind, data):
        flags = 0 if kind == wire.OP_QUERY else int.from_bytes(data[:4], "little")
        if not flags & wire.MORE_TO_COME:
            client.awaited.pop(answered, None)
        body = wire.document(data, wire.REPLY_HEAD if kind == wire.OP_QUERY else 5)
        if command in SIGN_IN:
            client.is_known = client.is_known or bool(body.get("done") and body.get("ok"))
        elif body.get("ok") and not body.get("setName"):
            # A driver would drop what is no replica set from its list, and never look at it again.
            raise wire.Malformed("a server that is no replica set yet")
        elif body.get("setName"):
            body.update(hosts=[self.advertised], primary=self.advertised, me=self.advertised)
            body["maxWireVersion"] = min(body["maxWireVersion"], MOST_WIRE_VERSION)
        return wire.reply(kind, answered, body, flags & wire.MORE_TO_COME)


async def guarded(gate, reader, writer):
    """A connection that ends, however it does, is no news."""
    try:
        await gate.serve(reader, writer)
    except (OSError, EOFError, wire.Malformed):
        writer.transport.abort()
