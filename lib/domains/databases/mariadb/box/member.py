"""The first process of a member of a MariaDB cluster: prepares its data, then runs the server and passes signals on.

/etc/service/member.conf has lines `name=value`: members (addresses of all, separated by commas), address (its own), init (yes
only for the first member before the cluster's first start), superuser, donors (names of members that data are copied from).
The environment has INCARNATION: data of another one are discarded, and copied from a member that serves.

A member with data never decides alone whether it begins the cluster again or joins it: it says how far its data go at
/run/service/member.sock, and waits for the word of the host's agent, which knows all members.
"""

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

SERVER = "/usr/sbin/mariadbd"
FILES = "/etc/service"
DATA, DRAFT, MARK = "/state/data", "/state/data.new", "/state/incarnation"
# Freed when the disk is full, so that the server can start and say so.
RESERVE = "/state/reserve"
NOWHERE = "/state/nowhere"
ASK, SOCKET = "/run/service/member.sock", "/run/service/mysql.sock"
INCARNATION = os.environ["INCARNATION"]
SHARE = next(path for path in ("/usr/share/mariadb", "/usr/share/mysql") if os.path.exists(f"{path}/english"))
NO_UUID = "00000000-0000-0000-0000-000000000000"


def say(text):
    print(f"member: {text}", flush=True)


def read(path):
    with open(path, encoding="utf8") as file:
        return file.read()


def settings():
    lines = read(f"{FILES}/member.conf").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def write(path, text):
    with open(path, "w", encoding="utf8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def mark():
    try:
        return read(MARK)
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


def native(password):
    """A password as the server stores it (mysql_native_password)."""
    return "*" + hashlib.sha1(hashlib.sha1(password.encode()).digest()).hexdigest().upper()


def sql_files():
    names = ["system_tables", "performance_tables", "system_tables_data"]
    kind = "mariadb" if os.path.exists(f"{SHARE}/mariadb_system_tables.sql") else "mysql"
    files = [f"{kind}_{name}.sql" for name in names]
    return files + ["maria_add_gis_sp_bootstrap.sql", f"{kind}_sys_schema.sql"]


def create(told):
    """A new, empty cluster, whose only account is the platform's own."""
    say("creating the data folder")
    discard(DRAFT)
    os.makedirs(DRAFT, mode=0o700)
    parts = ["create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n"]
    parts += [read(f"{SHARE}/{name}") for name in sql_files()]
    account = f"'{told['superuser']}'@'localhost'"
    password = native(read(f"{FILES}/superuser.password"))
    parts += [
        "\nDELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\nFLUSH PRIVILEGES;\n"
        f"CREATE USER {account} IDENTIFIED BY PASSWORD '{password}';\n"
        f"GRANT ALL PRIVILEGES ON *.* TO {account} WITH GRANT OPTION;\n"
    ]
    command = [SERVER, "--no-defaults", "--bootstrap", f"--datadir={DRAFT}", f"--lc-messages-dir={SHARE}"]
    command += [f"--character-sets-dir={SHARE}/charsets", "--log-warnings=0", "--tmpdir=/state"]
    command += ["--default-storage-engine=InnoDB", "--innodb-buffer-pool-size=16M", "--net-buffer-length=16K"]
    done = subprocess.run(command, input="".join(parts), text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise OSError(f"the tables of the server could not be made: {done.stderr[-500:]}")
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


def saved_position():
    """What the server wrote when it ended in peace; None after a crash."""
    try:
        text = read(f"{DATA}/grastate.dat")
    except FileNotFoundError:
        return None
    uuid = re.search(r"^uuid:\s*(\S+)", text, re.M)
    seqno = re.search(r"^seqno:\s*(-?\d+)", text, re.M)
    if not uuid or not seqno or int(seqno[1]) < 0 or uuid[1] == NO_UUID:
        return None
    return f"{uuid[1]}:{seqno[1]}"


def position():
    """How far the data go, as `uuid:seqno`; None where they were never part of a cluster."""
    saved = saved_position()
    if saved:
        return saved
    say("recovering, to see how far the data go")
    command = base() + ["--wsrep-recover", "--skip-networking", "--socket=/run/service/recover.sock"]
    command += ["--wsrep-cluster-address=gcomm://", "--wsrep-sst-method=rsync"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    found = re.findall(r"Recovered position:\s*([0-9a-f-]{36}:-?\d+)", done.stdout)
    if done.returncode != 0 or not found:
        # Never discarded by the member itself: they may be the last that there are.
        raise OSError(f"the data could not be recovered: {done.stdout[-800:]}")
    return None if found[-1].startswith(NO_UUID) else found[-1]


def allow_to_begin():
    """The agent has decided that these data go furthest: the server asks for this mark."""
    path = f"{DATA}/grastate.dat"
    if os.path.exists(path):
        write(path, re.sub(r"^safe_to_bootstrap:.*$", "safe_to_bootstrap: 1", read(path), flags=re.M))


def base():
    share = [f"--lc-messages-dir={SHARE}", f"--character-sets-dir={SHARE}/charsets"]
    return [SERVER, f"--defaults-file={FILES}/my.cnf", f"--datadir={DATA}", *share]


class Desk:
    """Answers the agent: `PHASE POSITION` at once, and takes its word, `begin` or `join`."""

    def __init__(self):
        self.phase, self.position, self.word = "preparing", "-", threading.Event()
        self.said = None
        if os.path.exists(ASK):
            os.unlink(ASK)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(ASK)
        self.socket.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.socket.accept()
            try:
                client.settimeout(1)
                client.sendall(f"{self.phase} {self.position}\n".encode())
                word = client.recv(16).decode().strip()
                if word in ("begin", "join") and self.phase == "waiting":
                    self.said = word
                    self.word.set()
            except (OSError, UnicodeDecodeError):
                pass
            finally:
                client.close()

    def wait(self, found):
        self.position, self.phase = found, "waiting"
        self.word.wait()
        return self.said


def prepare(told, desk):
    """Makes the data ready. Gives the further arguments of the server."""
    os.makedirs(NOWHERE, mode=0o700, exist_ok=True)
    others = [address for address in told["members"].split(",") if address != told["address"]]
    join = [f"--wsrep-cluster-address=gcomm://{','.join(others)}"]
    begin = ["--wsrep-cluster-address=gcomm://", "--wsrep-new-cluster"]
    if mark() == INCARNATION and os.path.isdir(DATA):
        if is_full() and os.path.exists(RESERVE):
            say("the disk is full: freeing the reserve")
            os.unlink(RESERVE)
        else:
            reserve()
        found = position()
        if found:
            word = desk.wait(found)
            desk.phase = "starting"
            say(f"told to {word}, with data up to {found}")
            if word == "begin":
                allow_to_begin()
            return (begin if word == "begin" else join) + [f"--wsrep-start-position={found}"]
        if told["init"] == "yes":
            # Created, and killed before its first transaction.
            return begin
        raise OSError("the data were never part of a cluster")
    elif told["init"] == "yes":
        create(told)
        reserve()
        return begin
    elif not others:
        raise OSError("the data are of another incarnation: not started")
    say("joining without data: a member will send its own")
    discard(DATA)
    os.makedirs(DATA, mode=0o700)
    # Until the copy is complete these data are nobody's.
    if os.path.exists(MARK):
        os.unlink(MARK)
    return join


def keep_mark(server, desk):
    """Data that were copied completely are of this incarnation: the server listens only then."""
    while server.poll() is None:
        if os.path.exists(SOCKET):
            if mark() != INCARNATION:
                write(MARK, INCARNATION)
            desk.phase = "serving"
            reserve()
            return
        time.sleep(0.05)


def main():
    told = settings()
    ended = []
    # SIGTERM may come while the data are prepared.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for path in (SOCKET, "/run/service/mariadbd.pid"):
        if os.path.exists(path):
            os.unlink(path)
    desk = Desk()
    try:
        arguments = prepare(told, desk)
    except OSError as error:
        say(f"{error}")
        time.sleep(0.5)
        sys.exit(1)
    donors = f"--wsrep-sst-donor={told['donors']}," if told["donors"] else "--wsrep-sst-donor="
    server = subprocess.Popen([*base(), *arguments, donors])

    def stop(*_):
        ended.append(True)
        server.send_signal(signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    desk.phase = "starting"
    threading.Thread(target=keep_mark, args=(server, desk), daemon=True).start()
    code = server.wait()
    if code != 0 and not ended:
        say(f"the server ended with {code}")
    sys.exit(0 if ended else 1)


main()
