"""Whether something answers: probe.py tcp HOST PORT | http HOST PORT PATH | socket PATH. Exit code 0 where it does."""

import http.client
import socket
import sys

SECONDS = 2

kind, *rest = sys.argv[1:]
if kind == "tcp":
    socket.create_connection((rest[0], int(rest[1])), SECONDS).close()
elif kind == "http":
    connection = http.client.HTTPConnection(rest[0], int(rest[1]), timeout=SECONDS)
    connection.request("GET", rest[2])
    sys.exit(0 if 200 <= connection.getresponse().status < 400 else 1)
else:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(rest[0])
