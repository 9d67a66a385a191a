"""The first process of a member of a PostgreSQL cluster: prepares its data, then runs the server and passes signals on.

Usage: member.py FOLDER, where FOLDER has PostgreSQL's bin, lib and share. /etc/service/member.conf has lines `name=value`:
role (primary or standby), primary (address), init (yes only before the cluster's first start), user (of replication), restore
(backup or moment while its data come from a backup, which the platform sends through the socket restore.sock).
The environment has INCARNATION: a standby whose data are of another one copies them from the primary.

A data folder is complete before it gets its name, whatever is killed in between.
"""

import base64
import hashlib
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

BIN = os.path.join(sys.argv[1], "bin")
FILES = "/etc/service"
DATA, DRAFT, MARK = "/state/data", "/state/data.new", "/state/incarnation"
LOG_DRAFT, RESTORE_SOCKET = "/state/log.new", "/run/service/restore.sock"
# The last file of what the platform sends: without it, the rest is cut.
WHOLE = "nephele.whole"
# Freed when the disk is full, so that the server can start and say so.
RESERVE = "/state/reserve"
INCARNATION = os.environ["INCARNATION"]
PORT = 5432
BLOCK = 512
CHUNK = 1 << 16
ANSWER_SECONDS = 15


def say(text):
    print(f"member: {text}", flush=True)


def read(name):
    with open(os.path.join(FILES, name), encoding="utf8") as file:
        return file.read()


def settings():
    return dict(line.split("=", 1) for line in read("member.conf").splitlines() if "=" in line)


def write(path, text):
    with open(path, "w", encoding="utf8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def mark():
    try:
        with open(MARK, encoding="utf8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def discard(path):
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            full = os.path.join(folder, name)
            os.unlink(full) if os.path.islink(full) else os.rmdir(full)
    if os.path.isdir(path):
        os.rmdir(path)


def publish():
    """Makes the draft the data folder."""
    os.sync()
    discard(DATA)
    os.rename(DRAFT, DATA)
    write(MARK, INCARNATION)
    os.sync()


def create(told):
    """A new, empty cluster."""
    say("creating the data folder")
    discard(DRAFT)
    command = [f"{BIN}/initdb", "-D", DRAFT, "-U", told["superuser"], "--pwfile", f"{FILES}/superuser.password"]
    command += ["-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--data-checksums", "--no-sync", "--no-instructions"]
    subprocess.run(command, check=True, env={**os.environ, "NEPHELE_INITDB": "1"}, stdout=subprocess.DEVNULL)
    publish()


def receive(client, folder):
    """Unpacks what a client sends, to its end. It begins anew where it was cut."""
    discard(folder)
    os.makedirs(folder, mode=0o700)
    archive = Archive(folder)
    while True:
        part = client.recv(CHUNK)
        if not part:
            break
        archive.feed(part)
    if not os.path.exists(f"{folder}/{WHOLE}"):
        raise OSError("what was sent is cut")
    os.unlink(f"{folder}/{WHOLE}")


def listen():
    if os.path.exists(RESTORE_SOCKET):
        os.unlink(RESTORE_SOCKET)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(RESTORE_SOCKET)
    os.chmod(RESTORE_SOCKET, 0o600)
    server.listen(4)
    return server


def restore(told, server):
    """The data of a backup. The platform reads which part is wanted, sends it, and reads that it is there."""
    say("waiting for the data of a backup")
    while True:
        client, _ = server.accept()
        with client:
            try:
                client.sendall(b"data\n")
                receive(client, DRAFT)
                if not os.path.exists(f"{DRAFT}/backup_label"):
                    raise OSError("the backup is not complete")
                # Settings of the former cluster's own, such as the standbys that it waited for.
                write(f"{DRAFT}/postgresql.auto.conf", "")
                if told["restore"] == "moment":
                    write(f"{DRAFT}/standby.signal", "")
                publish()
                client.sendall(b"done\n")
                return
            except OSError as error:
                say(f"restoring: {error}")


def take_log(server):
    """Lays segments of the log where the server looks for them."""
    while True:
        client, _ = server.accept()
        with client:
            try:
                client.sendall(b"log\n")
                receive(client, LOG_DRAFT)
                os.sync()
                for name in sorted(os.listdir(LOG_DRAFT)):
                    os.rename(f"{LOG_DRAFT}/{name}", f"{DATA}/pg_wal/{name}")
                client.sendall(b"done\n")
            except OSError as error:
                say(f"restoring: {error}")


class Connection:
    """A replication connection by PostgreSQL's protocol, version 3, with TLS and SCRAM-SHA-256 (RFC 5802, 7677)."""

    def __init__(self, host, user, password):
        raw = socket.create_connection((host, PORT), timeout=ANSWER_SECONDS)
        raw.sendall(struct.pack("!ii", 8, 80877103))
        if raw.recv(1) != b"S":
            raise OSError("the primary does not offer TLS")
        context = ssl.create_default_context(cafile=f"{FILES}/tls/ca.pem")
        self.socket = context.wrap_socket(raw, server_hostname=host)
        fields = [b"user", user.encode(), b"database", b"replication", b"replication", b"true", b""]
        start = struct.pack("!i", 196608) + b"\0".join(fields) + b"\0"
        self.socket.sendall(struct.pack("!i", len(start) + 4) + start)
        self.authenticate(password)
        while self.message()[0] != b"Z":
            pass

    def exactly(self, count):
        parts = []
        while count:
            part = self.socket.recv(min(count, CHUNK))
            if not part:
                raise OSError("the primary closed the connection")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def message(self):
        kind, length = struct.unpack("!ci", self.exactly(5))
        body = self.exactly(length - 4)
        if kind == b"E":
            fields = {part[:1]: part[1:].decode("utf8", "replace") for part in body.split(b"\0") if part}
            raise OSError(f"the primary says: {fields.get(b'M')}")
        return kind, body

    def send(self, kind, body):
        self.socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)

    def expect(self, code):
        kind, body = self.message()
        if kind != b"R" or struct.unpack("!i", body[:4])[0] != code:
            raise OSError("the primary asks for another kind of password")
        return body[4:]

    def authenticate(self, password):
        self.expect(10)
        nonce = base64.b64encode(os.urandom(18)).decode()
        first = f"n=,r={nonce}"
        payload = f"n,,{first}".encode()
        self.send(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(payload)) + payload)
        challenge = self.expect(11).decode()
        parts = dict(part.split("=", 1) for part in challenge.split(","))
        if not parts["r"].startswith(nonce):
            raise OSError("the primary answered somebody else")
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
        client = keyed(salted, b"Client Key")
        final = f"c=biws,r={parts['r']}"
        told = f"{first},{challenge},{final}".encode()
        signature = keyed(hashlib.sha256(client).digest(), told)
        proof = bytes(one ^ other for one, other in zip(client, signature))
        self.send(b"p", f"{final},p={base64.b64encode(proof).decode()}".encode())
        verifier = base64.b64decode(self.expect(12).decode()[2:])
        if verifier != keyed(keyed(salted, b"Server Key"), told):
            raise OSError("the primary does not know the password")
        self.expect(0)


def keyed(key, text):
    """HMAC-SHA-256 (RFC 2104)."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


class Archive:
    """Unpacks a stream in tar's format into a folder."""

    def __init__(self, folder):
        self.folder, self.rest, self.file, self.left = folder, b"", None, 0

    def feed(self, data):
        self.rest += data
        while True:
            if self.file is not None:
                if self.left and not self.rest:
                    return
                taken, self.rest = self.rest[: self.left], self.rest[self.left :]
                self.file.write(taken)
                self.left -= len(taken)
                if self.left:
                    return
                self.file.close()
                self.file, self.skip = None, self.padding
            if getattr(self, "skip", 0):
                if len(self.rest) < self.skip:
                    return
                self.rest, self.skip = self.rest[self.skip :], 0
            if len(self.rest) < BLOCK:
                return
            header, self.rest = self.rest[:BLOCK], self.rest[BLOCK:]
            if header.strip(b"\0"):
                self.begin(header)

    def begin(self, header):
        name = header[:100].split(b"\0")[0].decode()
        prefix = header[345:500].split(b"\0")[0].decode()
        path = os.path.normpath(os.path.join(self.folder, prefix, name))
        if path != self.folder and not path.startswith(self.folder + "/"):
            raise OSError("the copy leaves its folder")
        kind = header[156:157]
        if kind == b"5":
            os.makedirs(path, mode=0o700, exist_ok=True)
            return
        if kind not in (b"0", b"\0"):
            return
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self.left = number(header[124:136])
        self.padding = -self.left % BLOCK
        self.file = open(path, "wb")
        os.fchmod(self.file.fileno(), 0o600)


def number(field):
    # Sizes beyond 8 GB are binary.
    return int.from_bytes(field[1:], "big") if field[0] & 0x80 else int(field.strip(b"\0 ") or b"0", 8)


def copy(told, major):
    """A copy of the primary, with the WAL that it needs to start."""
    say(f"copying the data of {told['primary']}")
    # What is of another incarnation is never used again, and there may be no room for both.
    discard(DATA)
    discard(DRAFT)
    os.makedirs(DRAFT, mode=0o700)
    connection = Connection(told["primary"], told["user"], read("replication.password"))
    options = "LABEL 'member', CHECKPOINT 'fast', WAL true, MANIFEST 'no'"
    if major < 15:
        options = "LABEL 'member' FAST WAL MANIFEST 'no'"
    connection.send(b"Q", f"BASE_BACKUP {options if major < 15 else f'({options})'}\0".encode())
    connection.socket.settimeout(120)
    archive = Archive(DRAFT)
    while True:
        kind, body = connection.message()
        if kind == b"Z":
            break
        if kind != b"d":
            continue
        if major < 15:
            archive.feed(body)
        elif body[:1] == b"d":
            archive.feed(body[1:])
    if not os.path.exists(f"{DRAFT}/backup_label"):
        raise OSError("the copy is not complete")
    write(f"{DRAFT}/standby.signal", "")
    publish()


def reserve():
    """Keeps some room that only the supervisor gives away."""
    room = os.statvfs("/state")
    size = min(64 << 20, room.f_blocks * room.f_frsize // 50)
    if os.path.exists(RESERVE) or room.f_bavail * room.f_frsize < 4 * size:
        return
    with open(RESERVE, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


def is_full():
    room = os.statvfs("/state")
    return room.f_bavail * room.f_frsize < 8 << 20


def prepare(told, major, server):
    if mark() != INCARNATION or not os.path.isdir(DATA):
        if told["role"] == "standby":
            copy(told, major)
        elif server:
            restore(told, server)
        elif told["init"] == "yes":
            create(told)
        else:
            raise OSError("the data of the primary are of another incarnation: not started")
    signal_file = f"{DATA}/standby.signal"
    if told["role"] == "standby" and not os.path.exists(signal_file):
        # It was stopped as the primary, after its successor had received everything.
        write(signal_file, "")
    if is_full() and os.path.exists(RESERVE):
        say("the disk is full: freeing the reserve")
        os.unlink(RESERVE)
    else:
        reserve()
    for name in ("postmaster.pid",):
        if os.path.exists(f"{DATA}/{name}"):
            os.unlink(f"{DATA}/{name}")


def version():
    text = subprocess.run([f"{BIN}/postgres", "-V"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(text.split()[-1].split(".")[0])


def main():
    told = settings()
    ended = []
    # SIGTERM may come while the data are prepared.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    server = listen() if told["restore"] else None
    try:
        prepare(told, version(), server)
    except OSError as error:
        say(f"{error}")
        time.sleep(0.5)
        sys.exit(1)
    command = [f"{BIN}/postgres", "-D", DATA, "-c", f"config_file={FILES}/postgresql.conf"]
    if server:
        threading.Thread(target=take_log, args=(server,), daemon=True).start()
    postgres = subprocess.Popen(command + ["-c", f"hba_file={FILES}/pg_hba.conf"])

    def stop(*_):
        ended.append(True)
        postgres.send_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, lambda *_: postgres.send_signal(signal.SIGHUP))
    code = postgres.wait()
    if code != 0 and not ended:
        say(f"the server ended with {code}")
    sys.exit(0 if ended else 1)


main()
