"""Sandboxes of an ordinary user, made by bubblewrap: the part of `runc`'s command line that the engine uses.

Usage: box.py FILES SERVICES STAGE COMMAND …
  run [--detach] --bundle FOLDER --pid-file FILE ID   needs the right to mount: in a user namespace, as its root
  state ID, list [--format json], kill [--all] ID SIGNAL, delete [--force] ID, exec ID ARGV…, trial
FILES holds one folder of files a service, SERVICES one bundle (`ID/bundle/config.json`, OCI runtime specification 1.0),
STAGE is an empty folder to mount on.

There are no records. A box is known by its `/etc/service`: the kernel tells which folder that is, and a process without
capabilities and without the right to make namespaces can't change it.
"""

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
FLAGS = {"ro": MS_RDONLY, "nosuid": MS_NOSUID, "nodev": MS_NODEV, "noexec": MS_NOEXEC}
NS_GET_USERNS, NS_GET_NSTYPE = 0xB701, 0xB703
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
CAPABILITY_VERSION_3 = 0x20080522
ACTIONS = {"SCMP_ACT_ALLOW": 0x7FFF0000, "SCMP_ACT_ERRNO": 0x00050000}
COMPARISONS = {"SCMP_CMP_NE": 1, "SCMP_CMP_GT": 6, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
BWRAP = "/usr/bin/bwrap"
START_SECONDS = END_SECONDS = 20
NICE = 5

libc = ctypes.CDLL(None, use_errno=True)


def must(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


# -- System calls that are let through ---------------------------------------------------------------------------------


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def compiled(filters):
    """The filter of a bundle as the kernel takes it, by the library that `runc` uses."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ACTIONS[filters["defaultAction"]])))
    for name in filters["architectures"]:
        seccomp.seccomp_arch_resolve_name.restype = ctypes.c_uint32
        token = seccomp.seccomp_arch_resolve_name(name.removeprefix("SCMP_ARCH_").lower().encode())
        seccomp.seccomp_arch_add(context, ctypes.c_uint32(token))
    for rule in filters["syscalls"]:
        action = ctypes.c_uint32(ACTIONS[rule["action"]] | rule["errnoRet"])
        wanted = [
            Comparison(arg["index"], COMPARISONS[arg["op"]], arg["value"], arg.get("valueTwo", 0))
            for arg in rule.get("args", [])
        ]
        for name in rule["names"]:
            number = seccomp.seccomp_syscall_resolve_name(name.encode())
            # What this library does not know, its kernel does not have.
            if number == -1:
                continue
            comparisons = (Comparison * len(wanted))(*wanted)
            failed = seccomp.seccomp_rule_add_array(context, action, number, len(wanted), comparisons)
            if failed:
                raise OSError(-failed, f"The filter has no rule for {name}.")
    file = os.memfd_create("filter")
    if seccomp.seccomp_export_bpf(context, file):
        raise OSError("The filter of system calls could not be compiled.")
    os.lseek(file, 0, os.SEEK_SET)
    return file


# -- Which boxes run ---------------------------------------------------------------------------------------------------


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="latin1") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def service_of(pid, files):
    """The id of the service whose box a process is the first of; None for any other process."""
    try:
        status = status_of(pid)
        if not status.get("NSpid", "").endswith("\t1") or status["State"][0] in "ZX":
            return None
        if int(status["Uid"].split("\t")[0]) != os.getuid():
            return None
        device = os.stat(files).st_dev
        where = f"{os.major(device)}:{os.minor(device)}"
        suffix = "/".join(files.split("/")[-2:])
        with open(f"/proc/{pid}/mountinfo", encoding="latin1") as file:
            for line in file:
                _, _, on, root, at, *_ = line.split(" ")
                folder, _, last = root.removesuffix("//deleted").rpartition("/")
                parent, _, service = folder.rpartition("/")
                if on == where and at == "/etc/service" and last == "service" and parent.endswith(f"/{suffix}"):
                    return service
    except (OSError, ValueError, KeyError):
        pass
    return None


def boxes(files):
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            service = service_of(name, files)
            if service is not None:
                found[service] = int(name)
    return found


def box(files, service):
    pid = boxes(files).get(service)
    if pid is None:
        sys.exit(f"There is no box {service}.")
    return pid


def described(service, pid):
    return {"id": service, "pid": pid, "status": "running"}


# -- Making a box ------------------------------------------------------------------------------------------------------


def mount(source, target, kind, flags, options=""):
    encoded = [os.fsencode(text) if text else None for text in (source, target, kind)]
    must(libc.mount(*encoded, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def staged(number, entry, stage):
    """Mounts one entry of the bundle outside the box first: bubblewrap itself can't forbid to run programs."""
    options = entry["options"]
    flags = sum(FLAGS[option] for option in options if option in FLAGS)
    target = os.path.join(stage, str(number))
    if entry["type"] == "tmpfs":
        os.mkdir(target)
        others = [option for option in options if option.startswith(("size=", "mode="))]
        mount("tmpfs", target, "tmpfs", flags, ",".join(others))
        return target
    if os.path.isdir(entry["source"]):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_CREAT, 0o600))
    mount(entry["source"], target, None, MS_BIND)
    # What the host forbids stays forbidden: without root no flag of a mount may be taken away.
    kept = os.statvfs(target).f_flag & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    mount(None, target, None, MS_REMOUNT | MS_BIND | flags | kept)
    return target


def arguments(config, stage):
    user = config["process"]["user"]
    given = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    given += ["--uid", str(user["uid"]), "--gid", str(user["gid"]), "--disable-userns", "--cap-drop", "ALL"]
    given += ["--new-session", "--as-pid-1", "--hostname", config["hostname"], "--chdir", config["process"]["cwd"]]
    given += ["--clearenv", "--ro-bind", config["root"]["path"], "/"]
    for number, entry in enumerate(config["mounts"]):
        at = entry["destination"]
        if entry["type"] == "proc":
            given += ["--proc", at]
            for path in config["linux"]["maskedPaths"]:
                if not path.startswith(f"{at}/"):
                    continue
                if os.path.isdir(path):
                    given += ["--tmpfs", path, "--remount-ro", path]
                elif os.path.exists(path):
                    given += ["--ro-bind", "/dev/null", path]
        elif at == "/dev":
            given += ["--dev", at]
        else:
            given += ["--bind", staged(number, entry, stage), at]
    given += ["--remount-ro", "/dev"]
    for entry in config["process"]["env"]:
        given += ["--setenv", *entry.split("=", 1)]
    return given


def kept_in_memory(data):
    file = os.memfd_create("arguments")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def enter_network(config):
    entry = next((entry for entry in config["linux"]["namespaces"] if entry["type"] == "network"), None)
    if entry is None:
        return
    path = entry.get("path")
    if path is None:
        must(libc.unshare(CLONE_NEWNET), "unshare")
        return
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    must(libc.setns(file, CLONE_NEWNET), f"setns {path}")
    os.close(file)


def limit(pid, rlimits):
    for entry in rlimits:
        kind = getattr(resource, entry["type"])
        _, most = resource.prlimit(pid, kind)
        hard = entry["hard"] if most == resource.RLIM_INFINITY else min(entry["hard"], most)
        resource.prlimit(pid, kind, (min(entry["soft"], hard), hard))


def furnished(outer, pid, root):
    """Waits until a box has its root, and so needs bubblewrap no more; False where bubblewrap has failed and said why."""
    until = time.monotonic() + START_SECONDS
    while outer.poll() is None and time.monotonic() < until:
        try:
            if os.path.samestat(os.stat(f"/proc/{pid}/root/"), os.stat(root)):
                return True
        except OSError:
            pass
        time.sleep(0.002)
    return False


def run(files, services, stage, rest):
    *_, bundle, _, pid_file, _ = rest
    with open(os.path.join(bundle, "config.json"), encoding="utf8") as file:
        config = json.load(file)
    process = config["process"]
    must(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    enter_network(config)
    mount("tmpfs", stage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=700,size=1m")
    given = kept_in_memory(b"".join(os.fsencode(text) + b"\0" for text in arguments(config, stage)))
    filters = compiled(config["linux"]["seccomp"])
    info, info_end = os.pipe()
    block_end, block = os.pipe()
    os.umask(process["user"]["umask"])
    os.nice(NICE)
    with open("/proc/self/oom_score_adj", "r+", encoding="ascii") as file:
        value = max(int(file.read()), process["oomScoreAdj"])
        file.seek(0)
        file.write(str(value))
    own = ["--seccomp", str(filters), "--info-fd", str(info_end), "--block-fd", str(block_end)]
    outer = subprocess.Popen(
        [BWRAP, "--args", str(given), *own, "--", *process["args"]],
        pass_fds=(given, filters, info_end, block_end), stdin=subprocess.DEVNULL, env={},
    )
    os.close(info_end)
    os.close(block_end)
    with os.fdopen(info, encoding="utf8") as told:
        text = told.read()
    if text:
        pid = json.loads(text)["child-pid"]
        if furnished(outer, pid, config["root"]["path"]):
            # Now the supervisor becomes the parent, and so learns how the service ends, however soon that is.
            outer.kill()
            outer.wait()
            limit(pid, process["rlimits"])
            with open(pid_file, "w", encoding="ascii") as file:
                file.write(str(pid))
            os.write(block, b"1")
            return
        kill(pid, "SIGKILL")
    outer.kill()
    sys.exit("The sandbox could not be made.")


# -- Working with a box ------------------------------------------------------------------------------------------------


def kill(pid, name):
    try:
        os.kill(pid, signal.Signals[name if name.startswith("SIG") else f"SIG{name}"])
    except ProcessLookupError:
        pass


def delete(files, service):
    pid = boxes(files).get(service)
    if pid is None:
        return
    try:
        ended = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    kill(pid, "SIGKILL")
    if not select.select([ended], [], [], END_SECONDS)[0]:
        sys.exit(f"Process {pid} cannot be stopped.")


def enter(pid):
    kinds = ["net", "ipc", "uts", "cgroup", "pid", "mnt"]
    spaces = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in kinds]
    users = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY)
    current = [os.stat(f"/proc/self/ns/{kind}") for kind in kinds]
    rights = os.stat("/proc/self/ns/user")
    # A namespace opens to those who have the rights of the user namespace that it was made in.
    steps = [
        space
        for space, own in zip(spaces, current, strict=True) if not os.path.samestat(os.fstat(space), own)
        for space in (fcntl.ioctl(space, NS_GET_USERNS), space)
    ]
    for step in [*steps, users]:
        found = os.fstat(step)
        if not os.path.samestat(found, rights):
            must(libc.setns(step, 0), "setns")
        if fcntl.ioctl(step, NS_GET_NSTYPE) == CLONE_NEWUSER:
            rights = found


def give_up_rights():
    number = 0
    while libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    must(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    must(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def execute(files, services, service, argv):
    pid = box(files, service)
    with open(os.path.join(services, service, "bundle", "config.json"), encoding="utf8") as file:
        config = json.load(file)
    filters = compiled(config["linux"]["seccomp"])
    code = os.read(filters, 1 << 20)
    os.close(filters)
    # Nothing inside may look into this process while it still has rights and files of the host.
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    process = config["process"]
    os.umask(process["user"]["umask"])
    enter(pid)
    child = os.fork()
    if child == 0:
        try:
            os.closerange(3, 1 << 16)
            os.setsid()
            limit(0, process["rlimits"])
            give_up_rights()
            must(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
            program = Program(len(code) // 8, code)
            must(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0), "seccomp")
            os.execvpe(argv[0], argv, dict(entry.split("=", 1) for entry in process["env"]))
        except OSError as error:
            os.write(2, f"{argv[0]}: {error}\n".encode())
        finally:
            os._exit(127)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


def trial(filters):
    """Whether a process can be kept in a box here: the same kernel features, without anything of a service."""
    given = ["--unshare-user", "--unshare-pid", "--unshare-net", "--uid", "1000", "--disable-userns", "--cap-drop", "ALL"]
    given += ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--seccomp", str(filters), "--"]
    tried = subprocess.run([BWRAP, *given, "/usr/bin/tini-static", "--version"], pass_fds=(filters,), check=False)
    sys.exit(tried.returncode)


def main():
    files, services, stage, command, *rest = sys.argv[1:]
    words = [word for word in rest if not word.startswith("--")] if command != "exec" else rest
    if command == "run":
        run(files, services, stage, rest)
    elif command == "state":
        print(json.dumps(described(words[0], box(files, words[0]))))
    elif command == "list":
        print(json.dumps([described(*found) for found in boxes(files).items()]))
    elif command == "kill":
        kill(box(files, words[0]), words[1])
    elif command == "delete":
        delete(files, words[0])
    elif command == "exec":
        execute(files, services, rest[0], rest[1:])
    elif command == "trial":
        trial(compiled(json.load(sys.stdin)))


main()
