"""Starts one instance of a function in a sandbox of bubblewrap, and becomes it.

Standard input is JSON: {uid, root, code, runtime, layers, egress, network, channel, seccomp, tmp_mb, masked, environment, argv,
watched}. As root, `uid` is the user that the instance gets; otherwise it is null. The channel of events is file descriptor 3;
where `watched` is true, 5 and 6 are bubblewrap's info and block pipes.
"""

import ctypes
import json
import os
import resource
import sys

MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MS_NOSUID, MS_NODEV = 2, 4
CLONE_NEWNS = 0x00020000
BWRAP = "/usr/bin/bwrap"
NICE = 5
# An instance goes first when memory runs out.
OOM_SCORE = 500

libc = ctypes.CDLL(None, use_errno=True)


def must(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def mount(source, target, kind, flags, options=""):
    encoded = [os.fsencode(text) if text else None for text in (source, target, kind)]
    must(libc.mount(*encoded, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def staged(sources):
    """As root: mounts what the instance may see where its user can get at it, whatever folders of ours lead there."""
    must(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    # Before the mount that hides those below /tmp.
    files = [os.open(path, os.O_PATH) for path in sources]
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    places = []
    for number, (file, path) in enumerate(zip(files, sources)):
        place = f"/tmp/{number}"
        if os.path.isdir(f"/proc/self/fd/{file}"):
            os.mkdir(place)
        else:
            os.close(os.open(place, os.O_CREAT, 0o644))
        mount(f"/proc/self/fd/{file}", place, None, MS_BIND)
        os.close(file)
        places.append(place)
    return places


def arguments(config, places):
    root, code, runtime, *rest = places
    layers = rest[: len(config["layers"])]
    given = ["--unshare-user", "--unshare-all", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    given += ["--die-with-parent", "--new-session", "--hostname", "function", "--clearenv"]
    given += ["--ro-bind", f"{root}/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64"):
        path = f"{root}/{name}"
        if os.path.islink(path):
            given += ["--symlink", os.readlink(path), f"/{name}"]
        elif os.path.isdir(path):
            given += ["--ro-bind", path, f"/{name}"]
    given += ["--ro-bind", f"{runtime}/etc", "/etc", "--ro-bind", runtime, "/var/runtime", "--ro-bind", code, "/var/task"]
    if config["network"] is not None:
        # The namespace of its port, in which this process is already.
        given += ["--share-net"]
        for name, content in config["network"].items():
            given += ["--ro-bind-data", str(in_memory(content.encode())), f"/etc/{name}"]
    for number, layer in enumerate(layers, 1):
        given += ["--ro-bind", layer, f"/opt/{number}"]
    for target, link in config["links"].items():
        given += ["--symlink", link, target]
    given += ["--proc", "/proc"]
    for path in config["masked"]:
        if os.path.isdir(path):
            given += ["--tmpfs", path, "--remount-ro", path]
        elif os.path.exists(path):
            given += ["--ro-bind", "/dev/null", path]
    given += ["--dev", "/dev", "--size", str(16 << 20), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    given += ["--size", str(config["tmp_mb"] << 20), "--tmpfs", "/tmp", "--dir", "/run"]
    sockets = rest[len(layers) :]
    names = [name for name in ("egress", "channel") if config[name]]
    for name, socket in zip(names, sockets):
        given += ["--ro-bind", socket, f"/run/{name}.sock"]
    given += ["--remount-ro", "/", "--chdir", "/var/task"]
    for name, value in config["environment"].items():
        given += ["--setenv", name, value]
    return given


def in_memory(data):
    file = os.memfd_create("arguments", 0)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def main():
    config = json.load(sys.stdin)
    empty = os.open("/dev/null", os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sources = [config["root"], config["code"], config["runtime"], *config["layers"]]
    sources += [config[name] for name in ("egress", "channel") if config[name]]
    filters = os.open(config["seccomp"], os.O_RDONLY)
    os.set_inheritable(filters, True)
    places = staged(sources) if config["uid"] is not None else sources
    given = in_memory(b"".join(os.fsencode(text) + b"\0" for text in arguments(config, places)))
    os.umask(0o077)
    for kind, most in (("NOFILE", config["open_files"]), ("FSIZE", config["file_bytes"]), ("CORE", 0)):
        number = getattr(resource, f"RLIMIT_{kind}")
        hard = resource.getrlimit(number)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (most, most))
    os.nice(NICE)
    with open("/proc/self/oom_score_adj", "r+", encoding="ascii") as file:
        value = max(int(file.read()), OOM_SCORE)
        file.seek(0)
        file.write(str(value))
    if config["uid"] is not None:
        os.setgroups([])
        os.setresgid(*[config["uid"]] * 3)
        os.setresuid(*[config["uid"]] * 3)
    own = ["--info-fd", "5", "--block-fd", "6"] if config["watched"] else []
    os.execve(BWRAP, [BWRAP, "--args", str(given), "--seccomp", str(filters), *own, "--", *config["argv"]], {})


main()
