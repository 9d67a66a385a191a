#!/usr/bin/python3 -IS
"""What stands at /bin/sh in a member's sandbox: it copies data between members, and runs nothing else.

The server calls `sh -c "wsrep_sst_member …"` when a member joins whose data are too old, on both sides: the joiner listens, the
donor sends its files. Both know each other by certificates of the cluster's own CA, and the copy is encrypted.

The stream has a line for each file, `size name`, followed by its content, and ends with `0 ` and the position of the data.
"""

import os
import re
import socket
import ssl
import sys
import time

FILES = "/etc/service"
DATA = "/state/data"
PORT = 4444
CHUNK = 1 << 20
WAIT_SECONDS = 120
# What InnoDB and Aria need beside the folders of the databases.
KEPT = re.compile(r"^(ibdata\d+|ib_logfile\d+|undo\d+|ib_buffer_pool|aria_log\.\d+|aria_log_control|mysql_upgrade_info|mariadb_upgrade_info)$")
NAME = re.compile(r"^[^\0\n]{1,1000}$")


def say(text):
    print(f"copy: {text}", file=sys.stderr, flush=True)


def context(side):
    made = ssl.SSLContext(side)
    made.load_cert_chain(f"{FILES}/tls/cert.pem", f"{FILES}/tls/key.pem")
    made.load_verify_locations(f"{FILES}/tls/ca.pem")
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    # Whoever has a certificate of this cluster is a member of it.
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def answer(text):
    print(text, flush=True)


def files():
    for name in sorted(os.listdir(DATA)):
        path = os.path.join(DATA, name)
        if os.path.isfile(path) and KEPT.match(name):
            yield name
        elif os.path.isdir(path) and not os.path.islink(path) and not name.startswith("#"):
            yield f"{name}/"
            for inner in sorted(os.listdir(path)):
                if os.path.isfile(os.path.join(path, inner)):
                    yield f"{name}/{inner}"


def donate(told):
    host, port = re.match(r"([^:/]+):(\d+)", told["address"]).groups()
    raw = socket.create_connection((host, int(port)), timeout=WAIT_SECONDS)
    line = context(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(raw)
    position = told["gtid"]
    if "bypass" not in told:
        answer("flush tables")
        flushed = f"{DATA}/tables_flushed"
        until = time.monotonic() + WAIT_SECONDS
        while not (os.path.exists(flushed) and os.path.getsize(flushed)):
            if time.monotonic() > until:
                raise OSError("the server does not flush its tables")
            time.sleep(0.02)
        with open(flushed, encoding="utf8") as file:
            position = file.read().split("\n")[0].strip()
        os.sync()
        for name in files():
            send(line, name)
        os.unlink(flushed)
        answer("continue")
    line.sendall(f"0 {position}\n".encode())
    # The joiner says that it has everything on its disk.
    if line.recv(3) != b"ok\n":
        raise OSError("the joiner did not take the copy")
    answer(f"done {position}")


def send(line, name):
    if name.endswith("/"):
        line.sendall(f"0 {name}\n".encode())
        return
    with open(os.path.join(DATA, name), "rb") as file:
        left = os.fstat(file.fileno()).st_size
        line.sendall(f"{left} {name}\n".encode())
        while left:
            part = file.read(min(left, CHUNK))
            if not part:
                raise OSError(f"{name} became shorter")
            line.sendall(part)
            left -= len(part)


def join(told):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    host = told["address"].split(":")[0]
    listener.bind((host, PORT))
    listener.listen(1)
    listener.settimeout(WAIT_SECONDS)
    answer(f"ready {host}:{PORT}/member")
    while True:
        raw, _ = listener.accept()
        raw.settimeout(WAIT_SECONDS)
        try:
            line = context(ssl.PROTOCOL_TLS_SERVER).wrap_socket(raw, server_side=True)
            break
        except OSError as error:
            # A stranger; the donor is still to come.
            say(f"refused a connection: {error}")
    stream = line.makefile("rb", buffering=CHUNK)
    first = True
    while True:
        size, name = stream.readline(1200).decode().rstrip("\n").split(" ", 1)
        if size == "0" and re.match(r"^[0-9a-f-]{36}:-?\d+", name) and not name.endswith("/"):
            break
        if first:
            clear()
            first = False
        receive(stream, int(size), name)
    os.sync()
    line.sendall(b"ok\n")
    answer(name)


def clear():
    for folder, folders, names in os.walk(DATA, topdown=False):
        for name in names:
            if folder != DATA or KEPT.match(name):
                os.unlink(os.path.join(folder, name))
        for name in folders:
            full = os.path.join(folder, name)
            if not os.path.islink(full) and not os.listdir(full):
                os.rmdir(full)


def receive(stream, size, name):
    path = os.path.normpath(os.path.join(DATA, name))
    if not NAME.match(name) or not path.startswith(f"{DATA}/"):
        raise OSError("the copy leaves its folder")
    if name.endswith("/"):
        os.makedirs(path, mode=0o700, exist_ok=True)
        return
    with open(path, "wb") as file:
        while size:
            part = stream.read(min(size, CHUNK))
            if not part:
                raise OSError("the donor closed the connection")
            file.write(part)
            size -= len(part)


def words(text):
    """The words of a command as the server quotes them."""
    return [quoted or plain for quoted, plain in re.findall(r"'([^']*)'|([^\s']+)", text)]


def options(argv):
    told, name = {}, None
    for word in argv:
        if word == "--mysqld-args":
            break
        if word.startswith("--"):
            name = word[2:]
            told[name] = ""
        elif name:
            told[name] = word
    return told


TOOLS = ("mariadb", "mariadb-check", "mariadb-upgrade")


def redirected(argv):
    """A tool's command reads a file of statements, and reports errors as answers."""
    if "2>&1" in argv:
        argv.remove("2>&1")
        os.dup2(1, 2)
    if "<" in argv:
        at = argv.index("<")
        os.dup2(os.open(argv[at + 1], os.O_RDONLY), 0)
        argv = argv[:at] + argv[at + 2 :]
    return argv


def main():
    # `popen` of newer C libraries puts `--` before the command.
    told = [word for word in sys.argv[1:3] if word != "--"] + sys.argv[3:]
    if len(told) < 2 or told[0] != "-c":
        sys.exit(126)
    argv = words(told[1])
    if argv and argv[0] == "exec":
        argv = argv[1:]
    if not argv:
        sys.exit(126)
    if os.environ.get("NEPHELE_UPGRADE") == "1" and os.path.basename(argv[0]) in TOOLS:
        os.execv(f"/usr/bin/{os.path.basename(argv[0])}", redirected(argv))
    if os.path.basename(argv[0]) != "wsrep_sst_member":
        say(f"refused to run {argv[0]}")
        sys.exit(126)
    told = options(argv[1:])
    try:
        donate(told) if told.get("role") == "donor" else join(told)
    except (OSError, ValueError, KeyError) as error:
        say(f"{error}")
        sys.exit(1)


main()
