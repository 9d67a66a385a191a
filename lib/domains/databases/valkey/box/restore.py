"""Takes the data of a backup of Valkey and runs the server on them.

Argument: `restore` for a new cluster, which serves from then on; `check` for a server that only shows that the data can be
loaded, and says so at /run/service/checked.sock. The environment has INCARNATION. Data are in /state.
"""

import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, "/etc/service")
import frames  # noqa: E402

SERVER = [*sys.argv[2:], "/etc/service/valkey.conf"]
INCARNATION = os.environ["INCARNATION"]
DATA, DRAFT, MARK = "/state/appendonlydir", "/state/appendonlydir.new", "/state/restored"
BASE = "appendonly.aof.1.base.rdb"
SOCKET = "/run/service/valkey.sock"


def say(text):
    print(f"restore: {text}", flush=True)


def write(path, text):
    with open(path, "w", encoding="utf8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def discard(path):
    """A folder of plain files."""
    if os.path.isdir(path):
        for name in os.listdir(path):
            os.unlink(f"{path}/{name}")
        os.rmdir(path)


def is_here():
    try:
        with open(MARK, encoding="utf8") as file:
            return file.read() == INCARNATION
    except FileNotFoundError:
        return False


def take(source):
    """Makes a backup the base of the server's own file of writes."""
    discard(DRAFT)
    os.makedirs(DRAFT, mode=0o700)
    with open(f"{DRAFT}/{BASE}", "wb") as file:
        while part := source.read(1 << 18):
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
        if file.tell() == 0:
            raise OSError("the backup is empty")
    write(f"{DRAFT}/appendonly.aof.manifest", f"file {BASE} seq 1 type b\n")
    discard(DATA)
    os.rename(DRAFT, DATA)
    write(MARK, INCARNATION)
    os.sync()


def asked(command):
    """The answer of the server; None while it does not listen."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(SOCKET)
            client.sendall(f"{command}\r\n".encode())
            return client.recv(1 << 16).decode("utf8", "replace")
    except OSError:
        return None


def keys(answer):
    """Of all databases, as `INFO keyspace` counts them."""
    lines = [line for line in answer.splitlines() if line.startswith("db") and ":keys=" in line]
    return sum(int(line.split(":keys=")[1].split(",")[0]) for line in lines)


def check():
    """Loads the data, which compares their checksum, and says how many keys there are."""
    if os.path.exists(SOCKET):
        os.unlink(SOCKET)
    server = subprocess.Popen(SERVER)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while (code := server.poll()) is None:
        answer = asked("INFO keyspace")
        if answer is not None and answer.startswith("$"):
            frames.tell_checked(f"{keys(answer)} keys")
        time.sleep(0.1)
    frames.tell_checked(f"damaged: the server ended with {code}")


if not is_here():
    frames.restore(take, say)
if sys.argv[1] == "check":
    check()
os.execv(SERVER[0], SERVER)
