"""Leads Unix sockets into a network namespace: entries.py FILE

FILE holds [{"socket": PATH, "address": IP, "port": NUMBER}]; SIGHUP has it read again, which cuts no connection of what stays.
A socket listens only while its address answers, so that whoever connects learns at once that it does not.
"""
import asyncio
import contextlib
import json
import os
import signal
import sys

CHECK_SECONDS = 2
CONNECT_SECONDS = 2
FAILURES = 2
MOST_CONNECTIONS = 4096

open_connections = 0


class Inner(asyncio.Protocol):
    """The half that faces the tenant's network."""

    def __init__(self, outer):
        self.outer = outer

    def data_received(self, data):
        self.outer.transport.write(data)

    def eof_received(self):
        if self.outer.transport.can_write_eof() and not self.outer.transport.is_closing():
            self.outer.transport.write_eof()
        return True

    def connection_lost(self, error):
        self.outer.transport.close()

    def pause_writing(self):
        self.outer.transport.pause_reading()

    def resume_writing(self):
        self.outer.transport.resume_reading()


class Outer(asyncio.Protocol):
    """The half that faces the gateway."""

    def __init__(self, entry):
        self.entry = entry
        self.inner = None
        self.transport = None
        self.early = []
        self.ended_early = False

    def connection_made(self, transport):
        global open_connections
        self.transport = transport
        open_connections += 1
        transport.pause_reading()
        if open_connections > MOST_CONNECTIONS:
            transport.abort()
            return
        asyncio.get_running_loop().create_task(self.connect())

    async def connect(self):
        loop = asyncio.get_running_loop()
        target = loop.create_connection(lambda: Inner(self), self.entry.address, self.entry.port)
        try:
            self.inner, _ = await asyncio.wait_for(target, CONNECT_SECONDS)
        except OSError:
            self.transport.abort()
            self.entry.hurry()
            return
        if self.transport.is_closing():
            self.inner.abort()
            return
        for data in self.early:
            self.inner.write(data)
        if self.ended_early:
            self.inner.write_eof()
        self.transport.resume_reading()

    def data_received(self, data):
        if self.inner:
            self.inner.write(data)
        else:
            # A first part may come before the pause holds.
            self.early.append(data)

    def eof_received(self):
        self.ended_early = self.inner is None
        if self.inner and not self.inner.is_closing():
            self.inner.write_eof()
        return True

    def connection_lost(self, error):
        global open_connections
        open_connections -= 1
        if self.inner:
            self.inner.close()

    def pause_writing(self):
        if self.inner:
            self.inner.pause_reading()

    def resume_writing(self):
        if self.inner:
            self.inner.resume_reading()


class Entry:
    def __init__(self, path, address, port):
        self.path = path
        self.address = address
        self.port = port
        self.server = None
        self.soon = asyncio.Event()
        self.task = asyncio.get_running_loop().create_task(self.watch())

    def hurry(self):
        self.soon.set()

    async def watch(self):
        failures = 0
        while True:
            failures = 0 if await self.answers() else failures + 1
            if failures == 0:
                await self.listen()
            elif failures >= FAILURES:
                self.close()
            self.soon.clear()
            pause = CHECK_SECONDS if failures in (0, FAILURES) or failures > FAILURES else 0.2
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.soon.wait(), pause)
                # Many connections that fail at once are one reason to look.
                await asyncio.sleep(0.1)

    async def answers(self):
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(self.address, self.port), CONNECT_SECONDS)
        except OSError:
            return False
        writer.close()
        return True

    async def listen(self):
        if self.server and os.path.exists(self.path):
            return
        self.close()
        loop = asyncio.get_running_loop()
        self.server = await loop.create_unix_server(lambda: Outer(self), self.path, backlog=1024)

    def close(self):
        if self.server:
            self.server.close()
        self.server = None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def end(self):
        self.task.cancel()
        self.close()


async def main():
    # Whoever may enter the folder may connect.
    os.umask(0)
    entries = {}

    def read():
        with open(sys.argv[1], encoding="utf8") as file:
            wanted = {entry["socket"]: entry for entry in json.load(file)}
        for path in [path for path in entries if path not in wanted]:
            entries.pop(path).end()
        for path, entry in wanted.items():
            if path not in entries:
                entries[path] = Entry(path, entry["address"], entry["port"])

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, read)
    read()
    await asyncio.Event().wait()


asyncio.run(main())
