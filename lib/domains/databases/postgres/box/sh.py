#!/usr/bin/python3 -IS
"""What stands at /bin/sh in a member's sandbox: it runs PostgreSQL's own server for initdb, and nothing for anyone else.

initdb starts `postgres` through the C library's popen, which needs /bin/sh. Whatever runs in the finished server lacks the
mark in its environment, so that COPY PROGRAM, archive commands and the like find no shell.
"""

import os
import re
import sys

MARK = "NEPHELE_INITDB"


def words_of(command):
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|([^\s"]+)', command)]


def main():
    if os.environ.get(MARK) != "1" or len(sys.argv) != 3 or sys.argv[1] != "-c":
        sys.exit(126)
    argv = []
    words = words_of(sys.argv[2])
    while words:
        word = words.pop(0)
        if word == "2>&1":
            os.dup2(1, 2)
        elif word in ("<", ">", "2>"):
            name = words.pop(0)
            flags = os.O_RDONLY if word == "<" else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(name, flags, 0o600), {"<": 0, ">": 1, "2>": 2}[word])
        else:
            argv.append(word)
    if not argv or os.path.basename(argv[0]) != "postgres":
        sys.exit(126)
    os.execv(argv[0], argv)


main()
