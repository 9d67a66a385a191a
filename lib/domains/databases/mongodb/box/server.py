"""A member of a MongoDB cluster: a gate with TLS in front of a server that this process starts, feeds with accounts and asks.

Arguments: the port. Below /etc/service are `users.json` and `tls/`, in /state the data. SIGHUP reads users and certificate anew.
RESTORE is `restore` where the data come from a backup, which is waited for, and `check` where they are only read.
"""

import asyncio
import hashlib
import json
import os
import signal
import ssl
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, "/usr/lib/python3/dist-packages"]

import backups  # noqa: E402
from backups import say  # noqa: E402
from daemon import INNER_PORT, Daemon  # noqa: E402
from gate import HANDSHAKE_SECONDS, Gate, guarded  # noqa: E402
from journal import Journal  # noqa: E402

RUN = "/run/service"
STATE = "/state"
DATA = f"{STATE}/mongodb"
ANSWER_MS = 1_200
BACKUP_MS = 6 * 60 * 60_000
# Of this process and of the server's own code.
OWN_MB = 160
LEAST_CACHE_MB = 64


def read_users():
    with open(f"{HERE}/users.json") as file:
        text = file.read()
    return json.loads(text), hashlib.sha256(text.encode()).hexdigest()


class Member:
    def __init__(self, port, memory_mb):
        self.port = port
        self.users, digest = read_users()
        self.daemon = Daemon(DATA, max(LEAST_CACHE_MB, (memory_mb - OWN_MB) // 2))
        self.daemon.begin(self.users)
        self.daemon.settle(self.users)
        # What of the platform's wishes holds.
        self.applied = digest
        self.asked = self.daemon.platform(self.users, ANSWER_MS)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self.load_certificate()
        self.settling = asyncio.Lock()
        keep_free = int(os.environ.get("KEEP_FREE_MB", "96")) * 1024 * 1024
        journal = Journal(f"{STATE}/sent")
        advertised = os.environ["ADVERTISED"]
        self.gate = Gate(INNER_PORT, advertised, self.users["database"], journal, STATE, keep_free)

    def load_certificate(self):
        self.tls.load_cert_chain(f"{HERE}/tls/cert.pem", f"{HERE}/tls/key.pem")

    async def take_settings(self):
        async with self.settling:
            try:
                self.load_certificate()
                users, digest = read_users()
                if await asyncio.to_thread(self.daemon.settle, users):
                    self.gate.end_all()
                self.users, self.applied = users, digest
            except Exception as error:
                say(f"the settings could not be read anew: {error}")

    async def answer(self, reader, writer):
        """The platform's questions: a line of HTTP is all that is read of one."""
        try:
            line = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
            path = line.split(b" ", 2)[1]
            status, text = 200, "ok"
            if path == b"/platform/users":
                text = self.applied
            elif path == b"/readyz":
                await asyncio.to_thread(self.asked.admin.command, "ping")
            else:
                status, text = 404, "no such path"
        except Exception as error:
            status, text = 503, type(error).__name__
        head = f"HTTP/1.1 {status} -\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + text.encode())
        try:
            await writer.drain()
            writer.close()
        except OSError:
            pass

    def order(self, command):
        """Runs a command of the platform's that may take as long as it needs."""
        with self.daemon.platform(self.users, BACKUP_MS) as client:
            return client.admin.command(command)

    def watch(self):
        """Without the server there is nothing to serve: the platform starts both anew."""
        self.daemon.process.wait()
        os._exit(1)

    def end(self):
        self.daemon.stop()
        os._exit(0)

    async def serve(self):
        loop = asyncio.get_running_loop()
        # A connection that never shakes hands, such as one that only asks whether this port is open, is no news.
        loop.set_exception_handler(lambda *_: None)
        loop.add_signal_handler(signal.SIGHUP, lambda: asyncio.ensure_future(self.take_settings()))
        loop.add_signal_handler(signal.SIGTERM, lambda: threading.Thread(target=self.end, daemon=True).start())
        # What was changed while the server started.
        await self.take_settings()
        path = f"{RUN}/api.sock"
        if os.path.exists(path):
            os.unlink(path)
        await asyncio.start_server(
            lambda reader, writer: guarded(self.gate, reader, writer),
            "0.0.0.0",
            self.port,
            ssl=self.tls,
            ssl_handshake_timeout=HANDSHAKE_SECONDS,
            backlog=256,
        )
        await asyncio.start_unix_server(self.answer, path)
        os.chmod(path, 0o600)
        backups.give_to_platform(self.order, RUN)
        threading.Thread(target=self.watch, daemon=True).start()
        say("serving")
        await asyncio.Event().wait()


async def main():
    memory_mb = int(os.environ.get("MEMORY_MB", "1024"))
    purpose = os.environ.get("RESTORE")
    if purpose:
        backups.restore(DATA, RUN, os.environ["INCARNATION"])
    if purpose == "check":
        backups.check(DATA, RUN, max(LEAST_CACHE_MB, (memory_mb - OWN_MB) // 2))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    # A change that comes before it serves is read with the start.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    member = Member(int(sys.argv[1]), memory_mb)
    await member.serve()


asyncio.run(main())
