#!/usr/bin/python3 -IS
"""What stands at /bin/sh in a member's sandbox: it runs PostgreSQL's own server for initdb, and nothing for anyone else.

initdb starts `postgres` through the C library's popen, which needs /bin/sh. Whatever runs in the finished server lacks the
mark in its environment, so that COPY PROGRAM, archive commands and the like find no shell.
"""

import os
import re
import sys

MARK = "NEPHELE_INITDB"


TOKEN = re.compile(r'(2>&1|2>|<|>)|((?:"[^"]*"|[^\s"<>])+)')
TARGET = {"<": (0, os.O_RDONLY), ">": (1, os.O_WRONLY | os.O_CREAT), "2>": (2, os.O_WRONLY | os.O_CREAT)}


def main():
    if os.environ.get(MARK) != "1" or len(sys.argv) != 3 or sys.argv[1] != "-c":
        sys.exit(126)
    argv, into = [], None
    for redirection, word in TOKEN.findall(sys.argv[2]):
        if redirection == "2>&1":
            os.dup2(1, 2)
        elif redirection:
            into = TARGET[redirection]
        elif into:
            os.dup2(os.open(word.replace('"', ""), into[1], 0o600), into[0])
            into = None
        else:
            argv.append(word.replace('"', ""))
    if not argv or os.path.basename(argv[0]) != "postgres":
        sys.exit(126)
    os.execv(argv[0], argv)


main()
