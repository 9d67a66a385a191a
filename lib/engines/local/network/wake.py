"""Makes clients notice that their connections have ended: wake.py, with
{"address": IP, "port": NUMBER, "clients": [[IP, PORT]], "mark": NUMBER, "sequence": NUMBER} on its input.

A client that only waits for an answer sends nothing that could be reset. An acknowledgment out of its window, as if from the other end,
makes it say where it is (RFC 9293, section 3.10.7.4), and whoever gets that answers with a reset.
"""
import json
import socket
import struct
import sys

ACKNOWLEDGMENT = 0x10
HEADER_WORDS = 5


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def segment(source, target, sequence):
    def header(check):
        return struct.pack("!HHIIBBHHH", source[1], target[1], sequence, 0, HEADER_WORDS << 4, ACKNOWLEDGMENT, 0, check, 0)

    ends = socket.inet_aton(source[0]) + socket.inet_aton(target[0])
    pseudo = ends + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(header(0)))
    tcp = header(checksum(pseudo + header(0)))
    # The kernel fills in the length and the checksum of the IP header.
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_TCP, 0) + ends
    return ip + tcp


def main():
    given = json.load(sys.stdin)
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, given["mark"])
        for host, port in given["clients"]:
            packet = segment((given["address"], given["port"]), (host, port), given["sequence"])
            raw.sendto(packet, (host, 0))


main()
