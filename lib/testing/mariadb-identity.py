"""Whether a server of MariaDB proves with its certificate that it is at an address. Usage: mariadb-identity.py ADDRESS PORT CA_FILE

mysql2 does not verify the address of a server that it is given by its IP.
"""

import socket
import ssl
import struct
import sys

TLS, PROTOCOL_41, SECURE_CONNECTION, UTF8MB4 = 0x800, 0x200, 0x8000, 45

address, port, ca = sys.argv[1:]
with socket.create_connection((address, int(port)), 10) as plain:
    plain.recv(4096)
    wish = struct.pack("<IIB23x", TLS | PROTOCOL_41 | SECURE_CONNECTION, 1 << 24, UTF8MB4)
    plain.sendall(struct.pack("<I", len(wish))[:3] + b"\x01" + wish)
    with ssl.create_default_context(cafile=ca).wrap_socket(plain, server_hostname=address) as proven:
        print(proven.version())
