"""The first process of a member of a MariaDB cluster: prepares its data, then runs the server and passes signals on.

/etc/service/member.conf has lines `name=value`: members (addresses of all, separated by commas), address (its own), init (yes
only for the first member before the cluster's first start), superuser, donors (names of members that data are copied from,
as the server takes them), restore (yes while its data come from a backup, check for a server that only reads one).
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

sys.path.insert(0, "/etc/service")
import frames  # noqa: E402

SERVER = "/usr/sbin/mariadbd"
FILES = "/etc/service"
DATA, DRAFT, MARK = "/state/data", "/state/data.new", "/state/incarnation"
# Freed when the disk is full, so that the server can start and say so.
RESERVE = "/state/reserve"
NOWHERE = "/state/nowhere"
UPGRADE = "/usr/bin/mariadb-upgrade"
BACKUP, STREAM, COPYING = "/usr/bin/mariadb-backup", "/usr/bin/mbstream", "/state/backup.tmp"
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


def own_account(told):
    """Statements that give the platform's account the password of this cluster."""
    account = f"'{told['superuser']}'@'localhost'"
    password = native(read(f"{FILES}/superuser.password"))
    return (
        f"FLUSH PRIVILEGES;\nCREATE OR REPLACE USER {account} IDENTIFIED BY PASSWORD '{password}';\n"
        f"GRANT ALL PRIVILEGES ON *.* TO {account} WITH GRANT OPTION;\n"
    )


def run_offline(statements):
    """Has a server that nobody reaches run statements on the draft."""
    command = [SERVER, "--no-defaults", "--bootstrap", f"--datadir={DRAFT}", f"--lc-messages-dir={SHARE}"]
    command += [f"--character-sets-dir={SHARE}/charsets", "--log-warnings=0", "--tmpdir=/state"]
    command += ["--default-storage-engine=InnoDB", "--innodb-buffer-pool-size=16M", "--net-buffer-length=16K"]
    done = subprocess.run(command, input=statements, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise OSError(f"the server's own tables could not be written: {done.stderr[-500:]}")


def create(told):
    """A new, empty cluster, whose only account is the platform's own."""
    say("creating the data folder")
    discard(DRAFT)
    os.makedirs(DRAFT, mode=0o700)
    parts = ["create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n"]
    parts += [read(f"{SHARE}/{name}") for name in sql_files()]
    parts += ["\nDELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\n", own_account(told)]
    run_offline("".join(parts))
    publish()


def lower_priority():
    """Where memory is short, this process ends and not the server."""
    with open("/proc/self/oom_score_adj", "w", encoding="utf8") as file:
        file.write("1000")


def back_up(sink):
    """Writes a copy of all data as of its end, which the server goes on changing meanwhile, in the format of mbstream."""
    discard(COPYING)
    command = [BACKUP, "--no-defaults", "--backup", "--stream=xbstream", f"--user={settings()['superuser']}"]
    command += [f"--socket={SOCKET}", f"--datadir={DATA}", f"--target-dir={COPYING}", "--tmpdir=/state"]
    password = {"MYSQL_PWD": read(f"{FILES}/superuser.password")}
    with open("/state/backup.log", "w+", encoding="utf8", errors="replace") as notes:
        done = subprocess.Popen(
            command, env={**os.environ, **password}, stdout=subprocess.PIPE, stderr=notes, preexec_fn=lower_priority
        )
        try:
            while part := done.stdout.read1(1 << 18):
                sink.write(part)
        finally:
            done.stdout.close()
            code = done.wait()
            discard(COPYING)
        notes.seek(0)
        if code != 0:
            raise OSError(f"the data could not be copied: {notes.read()[-800:]}")


def restore(told):
    """Makes the data of a backup those of this member."""

    def take(source):
        discard(DRAFT)
        os.makedirs(DRAFT, mode=0o700)
        unpacking = subprocess.Popen([STREAM, "-x", "-C", DRAFT], stdin=subprocess.PIPE)
        try:
            while part := source.read(1 << 18):
                unpacking.stdin.write(part)
        finally:
            unpacking.stdin.close()
            code = unpacking.wait()
        if code != 0:
            raise OSError("the backup could not be unpacked")
        command = [BACKUP, "--no-defaults", "--prepare", f"--target-dir={DRAFT}", "--use-memory=64M", "--tmpdir=/state"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode != 0:
            raise OSError(f"the backup could not be prepared: {done.stderr[-800:]}")
        for name in os.listdir(DRAFT):
            if name.startswith(("xtrabackup_", "mariadb_backup_", "backup-my.cnf")):
                os.unlink(f"{DRAFT}/{name}")
        if told["restore"] == "yes":
            # Of the former cluster: they stay as the owners of views and routines, and let nobody in.
            locked = "UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.account_locked', true) WHERE User <> 'mariadb.sys';\n"
            run_offline(locked + own_account(told))
        publish()

    frames.restore(take, say)


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


def alone():
    """A server that reads restored data, for whoever reaches its socket: it knows no cluster and no accounts."""
    share = [f"--lc-messages-dir={SHARE}", f"--character-sets-dir={SHARE}/charsets"]
    command = [SERVER, "--no-defaults", f"--datadir={DATA}", f"--socket={SOCKET}", *share, "--tmpdir=/state"]
    command += ["--skip-networking", "--skip-grant-tables", "--innodb-buffer-pool-size=64M", "--event-scheduler=DISABLED"]
    return command + ["--pid-file=/run/service/mariadbd.pid", "--local-infile=OFF", f"--secure-file-priv={NOWHERE}"]


def upgrade_tables():
    """Brings the server's own tables to its version, on this member alone; `sh` runs the tools that this calls."""
    environment = {**os.environ, "NEPHELE_UPGRADE": "1", "MYSQL_PWD": read(f"{FILES}/superuser.password")}
    command = [UPGRADE, "--no-defaults", f"--user={settings()['superuser']}", f"--socket={SOCKET}"]
    # Tables of tenants need no change, and are being written to.
    os.execve(UPGRADE, [*command, "--upgrade-system-tables", "--skip-write-binlog", "--tmpdir=/state"], environment)


def fitting(options, present, room):
    """
    The provider's options with a cache of writes that fits beside the data, because one that does not ends the server at its start: as
    large as the present one where a larger one would take more than half of the room. Sizes in MB.
    """
    wanted = int(re.search(r"gcache\.size=(\d+)M", options)[1])
    if wanted <= max(present, room // 2):
        return options
    size = present or max(8, room // 4)
    return re.sub(r"gcache\.size=\d+M", f"gcache.size={size}M", options)


def cache():
    """The argument of the server that sizes the cache of writes."""
    options = re.search(r'^wsrep_provider_options = "(.*)"$', read(f"{FILES}/my.cnf"), re.M)[1]
    path, room = f"{DATA}/galera.cache", os.statvfs("/state")
    present = os.path.getsize(path) >> 20 if os.path.exists(path) else 0
    return f"--wsrep-provider-options={fitting(options, present, room.f_bavail * room.f_frsize >> 20)}"


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
    if told["restore"] and not (mark() == INCARNATION and os.path.isdir(DATA)):
        restore(told)
    if told["restore"] == "check":
        return []
    others = [address for address in told["members"].split(",") if address != told["address"]]
    join = [f"--wsrep-cluster-address=gcomm://{','.join(others)}"]
    begin = ["--wsrep-cluster-address=gcomm://", "--wsrep-new-cluster"]
    if mark() == INCARNATION and os.path.isdir(DATA):
        if is_full() and os.path.exists(RESERVE):
            say("the disk is full: freeing the reserve")
            os.unlink(RESERVE)
        else:
            reserve()
        if told["restore"] == "yes":
            # Nobody else has these data.
            allow_to_begin()
            return begin
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
    if sys.argv[1:] == ["upgrade"]:
        upgrade_tables()
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
    if told["restore"] == "check":
        os.execv(SERVER, alone())
    threading.Thread(target=frames.give, args=(back_up, say), daemon=True).start()
    server = subprocess.Popen([*base(), *arguments, cache(), f"--wsrep-sst-donor={told['donors']}"])

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
