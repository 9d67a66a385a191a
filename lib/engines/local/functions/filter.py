"""Compiles a filter of system calls (OCI runtime specification, `linux.seccomp`) from standard input into a file for bubblewrap."""

import ctypes
import json
import os
import sys

ACTIONS = {"SCMP_ACT_ALLOW": 0x7FFF0000, "SCMP_ACT_ERRNO": 0x00050000}
COMPARISONS = {"SCMP_CMP_NE": 1, "SCMP_CMP_GT": 6, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def main():
    filters = json.load(sys.stdin)
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    seccomp.seccomp_arch_resolve_name.restype = ctypes.c_uint32
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ACTIONS[filters["defaultAction"]])))
    for name in filters["architectures"]:
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
    draft = f"{sys.argv[1]}.new"
    with open(draft, "wb") as file:
        if seccomp.seccomp_export_bpf(context, file.fileno()):
            raise OSError("The filter of system calls could not be compiled.")
    os.chmod(draft, 0o644)
    os.rename(draft, sys.argv[1])


main()
