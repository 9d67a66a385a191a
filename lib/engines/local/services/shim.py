"""Keeps one sandboxed service running and writes down what it says.

Usage: shim.py FOLDER. FOLDER/shim.json holds what to run; FOLDER/log takes the lines, FOLDER/status.json what became of it.

It is the parent of the sandbox (a subreaper), so that it learns how the service ended. Output comes through two FIFOs that
both sides hold open for reading and writing: a shim that is killed breaks no pipe, and the next one goes on reading. What a
front writes comes through a file: it neither waits for the shim nor wakes it, and the shim reads on when there is time.
SIGTERM stops the service and ends the shim; SIGKILL leaves the service running, to be taken over by the next shim.
"""

import ctypes
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

# The sandboxes' own programs see nothing of the supervisor's, whose mark says what it is.
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "LC_ALL", "HOME") if name in os.environ}

PR_SET_CHILD_SUBREAPER = 36
PIPE_BYTES = 1 << 20
READ_BYTES = 1 << 18
BUSY_SECONDS = 0.005
GATHER_SECONDS = 0.01
LONGEST_LINE = 16 * 1024
FILE_BYTES = 4 * 1024 * 1024
FILES_KEPT = 4
LINES_PER_SECOND, LINES_AT_ONCE = 2_000, 20_000
BYTES_PER_SECOND, BYTES_AT_ONCE = 1 << 20, 8 << 20
# A front writes for all tenants, and its lines are what traffic is billed by.
FRONT_FACTOR = 32
SPOOL_SECONDS = 0.1
SPOOL_WAITING_BYTES, SPOOL_FREED_BYTES, BLOCK_BYTES = 256 << 20, 1 << 20, 4096
FALLOC_KEEP_SIZE_PUNCH_HOLE = 3
# What lines are read with while traffic needs the processors.
READING_NICE = 10
FIRST_PAUSE, LONGEST_PAUSE, CALM_AFTER = 0.1, 30.0, 10.0
MEASURE_SECONDS, MEASURE_STATE_SECONDS = 0.5, 1.0
MB = 1024 * 1024


class Bucket:
    """Tokens that refill with time: what may pass at once, and per second after that."""

    def __init__(self, per_second, at_once):
        self.per_second, self.at_once = per_second, at_once
        self.tokens, self.at = float(at_once), time.monotonic()

    def refill(self):
        now = time.monotonic()
        self.tokens = min(self.at_once, self.tokens + (now - self.at) * self.per_second)
        self.at = now


class Log:
    """Lines as `<nanoseconds> <stream> <text>`, in numbered files of which the last few are kept.

    Marks `<nanoseconds> p <bytes>` say how far a spool has been read. Each is written together with the lines before it, so
    that no line is written twice or left out, whenever the shim is killed.
    """

    def __init__(self, folder, front):
        self.folder = folder
        more = FRONT_FACTOR if front else 1
        self.kept = FILES_KEPT * more
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.number = max((int(name) for name in os.listdir(folder) if name.isdigit()), default=1)
        self.lines = Bucket(LINES_PER_SECOND * more, LINES_AT_ONCE * more)
        self.bytes = Bucket(BYTES_PER_SECOND * more, BYTES_AT_ONCE * more)
        self.dropped = 0
        self.place = None
        self.open()

    def open(self):
        path = os.path.join(self.folder, f"{self.number:08d}")
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self.file).st_size
        # A crash may have left half a line.
        if self.size > 0:
            self.put(b"\n")

    def put(self, data, lines=1):
        try:
            self.size += os.write(self.file, data)
        except OSError:
            # A full disk costs lines, never the service.
            self.dropped += lines

    def last_place(self):
        """How far the spool has been read; 0 without a mark."""
        for number in (self.number, self.number - 1):
            try:
                with open(os.path.join(self.folder, f"{number:08d}"), "rb") as file:
                    found = re.findall(rb"^\d+ p (\d+)$", file.read(), re.MULTILINE)
            except FileNotFoundError:
                continue
            if found:
                return int(found[-1])
        return 0

    def mark(self, place):
        self.place = place
        self.put(self.place_mark(), 0)

    def place_mark(self):
        return b"" if self.place is None else b"%d p %d\n" % (time.time_ns(), self.place)

    def write(self, stream, *texts, place=None):
        mark = b""
        if place is not None:
            self.place = place
            mark = self.place_mark()
        # Lines that came together have one time and one write: a busy proxy writes thousands a second.
        self.lines.refill()
        self.bytes.refill()
        now = time.time_ns()
        size = sum(map(len, texts))
        if texts and not self.dropped and self.lines.tokens >= len(texts) and self.bytes.tokens >= size:
            self.lines.tokens -= len(texts)
            self.bytes.tokens -= size
            head = b"%d %s " % (now, stream)
            self.put(head + (b"\n" + head).join(texts).replace(b"\r", b"") + b"\n" + mark, len(texts))
        else:
            self.write_some(stream, now, texts, mark)
        if self.size >= FILE_BYTES:
            self.rotate()

    def write_some(self, stream, now, texts, mark):
        """Writes the lines that the limits let pass, and says how many they did not."""
        taken = []
        for text in texts:
            if self.lines.tokens < 1 or self.bytes.tokens < len(text):
                self.dropped += 1
                continue
            self.lines.tokens -= 1
            self.bytes.tokens -= len(text)
            if self.dropped:
                taken.append(b"%d d %d\n" % (now, self.dropped))
                self.dropped = 0
            taken.append(b"%d %s %s\n" % (now, stream, text.replace(b"\r", b"")))
        if taken or mark:
            self.put(b"".join([*taken, mark]), len(taken))

    def rotate(self):
        os.close(self.file)
        self.number += 1
        self.open()
        self.put(self.place_mark(), 0)
        for name in os.listdir(self.folder):
            if name.isdigit() and int(name) <= self.number - self.kept:
                os.unlink(os.path.join(self.folder, name))


class Output:
    """One stream of the service, cut into lines."""

    def __init__(self, path, stream, log):
        if not os.path.exists(path):
            os.mkfifo(path, 0o600)
        self.path, self.stream, self.log, self.rest = path, stream, log, b""
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ if hasattr(fcntl, "F_SETPIPE_SZ") else 1031, PIPE_BYTES)
        except OSError:
            pass

    def for_service(self):
        return os.open(self.path, os.O_RDWR | os.O_CLOEXEC)

    def read(self):
        try:
            data = os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return 0
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.log.write(self.stream, *(line[:LONGEST_LINE] for line in lines))
        while len(self.rest) > LONGEST_LINE:
            self.log.write(self.stream, self.rest[:LONGEST_LINE])
            self.rest = self.rest[LONGEST_LINE:]
        return len(data)

    def flush(self):
        while self.read():
            pass
        if self.rest:
            self.log.write(self.stream, self.rest)
            self.rest = b""


class Spool:
    """A stream of a front, through a file. What has been read of it is given back to the disk."""

    def __init__(self, path, stream, log):
        self.path, self.stream, self.log = path, stream, log
        self.fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.at = log.last_place()
        # It was emptied, and its mark is missing.
        if self.at > os.fstat(self.fd).st_size:
            self.at = 0
        log.mark(self.at)
        self.freed = 0

    def free(self, end):
        """Whether the file system takes back what lies before a place."""
        libc = ctypes.CDLL(None, use_errno=True)
        start = ctypes.c_longlong(self.freed)
        length = ctypes.c_longlong(max(BLOCK_BYTES, end - self.freed))
        if libc.fallocate(self.fd, FALLOC_KEEP_SIZE_PUNCH_HOLE, start, length) != 0:
            return False
        self.freed = end
        return True

    def for_service(self):
        return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def read(self):
        data = os.pread(self.fd, READ_BYTES, self.at)
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) < LONGEST_LINE:
            return 0
        end = end or len(data)
        lines = data[:end].removesuffix(b"\n").split(b"\n")
        self.at += end
        if os.fstat(self.fd).st_size - self.at > SPOOL_WAITING_BYTES:
            # More than can wait: it is left out, and how much that was is written.
            self.log.dropped += len(lines)
            self.log.mark(self.at)
        else:
            self.log.write(self.stream, *(line[:LONGEST_LINE] for line in lines), place=self.at)
        if self.at - self.freed >= SPOOL_FREED_BYTES:
            self.free(self.at // BLOCK_BYTES * BLOCK_BYTES)
        return end

    def flush(self):
        """Reads the rest of a service that has ended, and begins anew."""
        while self.read():
            pass
        rest = os.pread(self.fd, LONGEST_LINE, self.at)
        if rest:
            self.at += len(rest)
            self.log.write(self.stream, rest, place=self.at)
        os.ftruncate(self.fd, 0)
        self.at = self.freed = 0
        self.log.mark(0)


def spool_of(path, stream, log):
    """None where the file system keeps what was read: without a bound, a pipe has to do."""
    spool = Spool(path, stream, log)
    if spool.at > 0 or spool.free(0):
        return spool
    os.close(spool.fd)
    return None


class Watch:
    """What a sandbox takes, where the kernel holds it to nothing: beyond its limits it is ended."""

    def __init__(self, limits, pid):
        self.limits, self.pid = limits, pid
        self.space = os.stat(f"/proc/{pid}/ns/pid")
        self.state = None
        self.at = self.state_at = time.monotonic()

    def processes(self):
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.path.samestat(os.stat(f"/proc/{name}/ns/pid"), self.space):
                    yield name
            except OSError:
                pass

    def memory(self, pids):
        sums = {"Pss_Anon": 0, "Pss_Shmem": 0, "SwapPss": 0}
        for pid in pids:
            try:
                with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                    for line in file:
                        name, _, value = line.partition(":")
                        if name in sums:
                            sums[name] += int(value.split()[0]) * 1024
            except (OSError, ValueError):
                pass
        files = [self.used(at) for at in ("tmp", "run", "dev/shm")]
        # Files of /dev/shm count once, whether a process has them mapped or not.
        return sums["Pss_Anon"] + sums["SwapPss"] + files[0] + files[1] + max(sums["Pss_Shmem"], files[2])

    def used(self, at):
        try:
            found = os.statvfs(f"/proc/{self.pid}/root/{at}")
            return (found.f_blocks - found.f_bfree) * found.f_frsize
        except OSError:
            return 0

    def state_is_over(self):
        """Measured beside the service, one measurement at a time, by the rules of `state_size`."""
        limits = self.limits["state"]
        if limits is None:
            return False
        if self.state is None:
            if time.monotonic() - self.state_at >= MEASURE_STATE_SECONDS:
                self.state = measuring(limits["folder"])
            return False
        if self.state.poll() is None:
            return False
        size, self.state, self.state_at = measured(self.state), None, time.monotonic()
        return is_over(limits, size)

    def exceeded(self):
        """What was exceeded, as a sentence for the log; None where all is within its limits."""
        if time.monotonic() - self.at < MEASURE_SECONDS:
            return None
        self.at = time.monotonic()
        pids = list(self.processes())
        if len(pids) > self.limits["processes"]:
            return "processes", f"The service had more than {self.limits['processes']} processes and was ended."
        if self.memory(pids) > self.limits["memory_bytes"]:
            return "memory", f"The service took more than {self.limits['memory_bytes'] // MB} MB of memory and was ended."
        if self.state_is_over():
            return "state", f"The state folder is larger than {self.limits['state']['size_mb']} MB: the service was ended."
        return None

    def close(self):
        if self.state is not None:
            self.state.kill()
            self.state.wait()


def measuring(folder):
    """Begins to measure a folder. Its owner may have closed parts of it to itself, never to root of a user namespace."""
    script = 'du -s -B1 -- "$0" && du -s --inodes -- "$0"'
    command = ["unshare", "--user", "--map-root-user", "--", "sh", "-c", script, folder]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, env=ENVIRONMENT)


def measured(process):
    """Bytes and files of a folder. What vanishes meanwhile is no failure; what can't be measured is endless."""
    lines = process.communicate()[0].split(b"\n")
    try:
        return int(lines[0].split()[0]), int(lines[1].split()[0])
    except (IndexError, ValueError):
        return sys.maxsize, sys.maxsize


def is_over(limits, size):
    return size[0] > limits["bytes"] or size[1] > limits["files"]


class Shim:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "shim.json"), encoding="utf8") as file:
            self.spec = json.load(file)
        self.runc = self.spec["runc"]
        self.id = self.spec["id"]
        self.stopping = False
        self.ended_by_watch = None
        self.status = {"starts": 0, "started_at_ms": None, "pid": None, "last_exit": None, "held": False, "done": False}
        self.log = Log(os.path.join(folder, "log"), self.spec["front"])
        self.outputs = [
            Output(os.path.join(folder, "out"), b"o", self.log),
            Output(os.path.join(folder, "err"), b"e", self.log),
        ]
        self.spool = spool_of(os.path.join(folder, "spool"), b"o", self.log) if self.spec["front"] else None
        self.wake, wake_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self.on_stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def on_stop(self, *_):
        self.stopping = True

    def say(self, text):
        self.log.write(b"s", text.encode())

    def command(self, *args, **options):
        return subprocess.run([*self.runc, *args], stdin=subprocess.DEVNULL, env=ENVIRONMENT, check=False, **options)

    def way_in(self):
        """Prefix of the command that makes a sandbox: without root, the namespaces that are there at this moment."""
        with open(os.path.join(self.folder, "enter.json"), encoding="utf8") as file:
            return json.load(file)

    def note(self, **changes):
        self.status.update(changes)
        draft = os.path.join(self.folder, "status.json.new")
        with open(draft, "w", encoding="utf8") as file:
            json.dump(self.status, file)
        os.rename(draft, os.path.join(self.folder, "status.json"))

    def running_pid(self):
        """The sandbox that an earlier shim left running, by the runtime's own records."""
        found = self.command("state", self.id, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            state = json.loads(found.stdout)
        except ValueError:
            return None
        if state.get("status") != "running" or self.is_being_made(state["pid"]):
            return None
        return state["pid"]

    def is_being_made(self, pid):
        """Whether a sandbox waits for its program to be started: its maker was killed, so it would wait for ever."""
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return file.read() == b"runc\0init\0"
        except OSError:
            return False

    def remove(self):
        """Removes the sandbox from the runtime, and ends whatever still runs in it."""
        self.command("delete", "--force", self.id, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        pid_file = os.path.join(self.folder, "pid")
        self.forget_draft(pid_file)
        ends = [output.for_service() for output in [self.spool or self.outputs[0], self.outputs[1]]]
        try:
            bundle = ["--bundle", os.path.join(self.folder, "bundle"), "--pid-file", pid_file, self.id]
            made = subprocess.run(
                [*self.way_in(), *self.runc, "run", "--detach", *bundle],
                stdin=subprocess.DEVNULL, stdout=ends[0], stderr=ends[1], env=ENVIRONMENT, check=False,
            )
        finally:
            for end in ends:
                os.close(end)
        if made.returncode != 0:
            return None
        with open(pid_file, encoding="utf8") as file:
            return int(file.read())

    def forget_draft(self, pid_file):
        """A runtime that was killed while it wrote its pid file leaves the draft, and no runtime starts while that is there."""
        folder, name = os.path.split(pid_file)
        try:
            os.unlink(os.path.join(folder, f".{name}"))
        except FileNotFoundError:
            pass

    def watch(self, pid):
        """Reads output until the sandbox ends or the shim is told to stop it."""
        try:
            ended = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        poll = select.poll()
        for fd in [ended, self.wake, *(output.fd for output in self.outputs)]:
            poll.register(fd, select.POLLIN)
        kill_at, over, read_at, waiting = None, None, 0.0, 0
        # Only root gets its priority back, which the next start of the service needs.
        yields = self.spool is not None and os.geteuid() == 0
        if yields:
            os.setpriority(os.PRIO_PROCESS, 0, READING_NICE)
        watch = Watch(self.spec["watch"], pid) if self.spec["watch"] else None
        try:
            while True:
                over = over or (watch and watch.exceeded())
                if over and kill_at is None:
                    self.say(over[1])
                    self.ended_by_watch = over[0]
                    kill_at = 0
                if self.stopping and kill_at is None:
                    self.command("kill", self.id, self.spec["stop_signal"], stderr=subprocess.DEVNULL)
                    kill_at = time.monotonic() + self.spec["stop_seconds"]
                if kill_at is not None and time.monotonic() >= kill_at:
                    self.command("kill", "--all", self.id, "KILL", stderr=subprocess.DEVNULL)
                    kill_at = time.monotonic() + 5
                times = [kill_at - time.monotonic()] if kill_at is not None else []
                times += [MEASURE_SECONDS] if watch else []
                times += [0 if waiting >= READ_BYTES // 2 else SPOOL_SECONDS] if self.spool else []
                timeout = max(0.0, min(times)) * 1000 if times else None
                ready = {fd for fd, _ in poll.poll(timeout)}
                if self.wake in ready:
                    self.drain_wake()
                size = sum(output.read() for output in self.outputs if output.fd in ready)
                waiting = self.spool.read() if self.spool else 0
                if ended in ready:
                    return
                # A busy service writes line by line. Each wake-up costs more than its line: the next ones come together.
                if 0 < size < READ_BYTES // 4 and time.monotonic() - read_at < BUSY_SECONDS:
                    time.sleep(GATHER_SECONDS)
                read_at = time.monotonic() if size else read_at
        finally:
            os.close(ended)
            if yields:
                os.setpriority(os.PRIO_PROCESS, 0, 0)
            if watch:
                watch.close()

    def drain_wake(self):
        try:
            while os.read(self.wake, 512):
                pass
        except BlockingIOError:
            pass

    def oom_kills(self):
        try:
            with open(self.spec["oom_file"] or "", encoding="utf8") as file:
                counts = dict(line.split() for line in file if len(line.split()) == 2)
            return int(counts.get("oom_kill", 0))
        except (OSError, ValueError):
            return 0

    def exit_of(self, pid):
        code, ended_by = None, None
        try:
            _, status = os.waitpid(pid, 0)
            if os.WIFEXITED(status):
                code = os.WEXITSTATUS(status)
            elif os.WIFSIGNALED(status):
                ended_by = signal.Signals(os.WTERMSIG(status)).name
        except ChildProcessError:
            # Taken over from an earlier shim: the kernel tells others how it ended.
            pass
        # The sandbox's init passes on a signal's end as 128 + signal.
        if code is not None and code > 128 and ended_by is None:
            try:
                ended_by, code = signal.Signals(code - 128).name, None
            except ValueError:
                pass
        return {"at_ms": time.time_ns() // 1_000_000, "code": code, "signal": ended_by,
                "out_of_memory": self.oom_kills() > 0 or self.ended_by_watch == "memory"}

    def run(self):
        pause = FIRST_PAUSE
        adopted = self.running_pid()
        if adopted is None:
            self.remove()
            # A service that died with its shim. The next one may write from the beginning: HAProxy ends appending to its output.
            self.flush()
        while not self.stopping:
            pid = adopted or (None if self.state_is_full() else self.start())
            adopted, self.ended_by_watch = None, None
            began = time.monotonic()
            if pid:
                self.note(pid=pid, starts=self.status["starts"] + 1, started_at_ms=time.time_ns() // 1_000_000)
                self.watch(pid)
                self.note(pid=None, last_exit=self.exit_of(pid))
            self.flush()
            self.reap()
            self.remove()
            if self.stopping:
                break
            if pid and self.spec["restart"] == "never":
                self.note(done=True)
                break
            # What ran well for a while is there again at once. What ends again and again waits longer each time.
            pause = 0.0 if time.monotonic() - began > CALM_AFTER else pause
            self.sleep(pause)
            pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, pause * 2))

    def flush(self):
        for output in [*self.outputs, *([self.spool] if self.spool else [])]:
            output.flush()

    def state_is_full(self):
        """Whether a watched folder is over its limit, and so its service may not run until it is emptied or grown."""
        limits = (self.spec["watch"] or {}).get("state")
        held = limits is not None and is_over(limits, measured(measuring(limits["folder"])))
        if held != self.status["held"]:
            self.note(held=held)
        return held

    def sleep(self, seconds):
        until = time.monotonic() + seconds
        while not self.stopping and time.monotonic() < until:
            select.select([self.wake], [], [], max(0.0, until - time.monotonic()))
            self.drain_wake()

    def reap(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def main():
    folder = sys.argv[1]
    lock = os.open(os.path.join(folder, "shim.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    Shim(folder).run()


if __name__ == "__main__":
    main()
