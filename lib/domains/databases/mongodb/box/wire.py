"""Messages of MongoDB's protocol, as far as the gate has to understand them."""

import struct

import bson

HEADER = 16
OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013
MOST_BYTES = 48_000_000
MORE_TO_COME = 2
REPLY_HEAD = 20


class Malformed(Exception):
    """What is no message that a driver sends: its connection ends."""


def header(data):
    """@returns how many bytes follow the header, the id of the message, the id that it answers, and what it is"""
    length, own, answered, kind = struct.unpack("<iiii", data)
    if not HEADER < length <= MOST_BYTES:
        raise Malformed("a length that is none")
    return length - HEADER, own, answered, kind


def document_at(kind, data):
    """@returns where the document of a command begins, from what follows the header"""
    if kind == OP_MSG:
        # A driver's first section is the document itself; others hold what belongs to it.
        if len(data) < 10 or data[4] != 0:
            raise Malformed("no document")
        return 5
    if kind == OP_QUERY:
        end = data.find(b"\0", 4)
        if end < 0 or len(data) < end + 14:
            raise Malformed("no document")
        return end + 9
    raise Malformed("a kind that is unknown")


def command_of(data, at):
    """@returns the name of the command in the document that begins there"""
    end = data.find(b"\0", at + 5)
    if end < 0:
        raise Malformed("no command")
    return data[at + 5 : end].decode("utf-8", "replace")


def size_of(data, at):
    """@returns how long the document is that begins there"""
    (size,) = struct.unpack_from("<i", data, at)
    if size < 5:
        raise Malformed("a length that is none")
    return size


def document(data, at):
    """@returns the document that begins there"""
    try:
        return bson.decode(data[at : at + size_of(data, at)])
    except bson.errors.BSONError as error:
        raise Malformed(str(error)) from error


def reply(kind, answered, body, flags=0):
    """@returns a whole message that answers another one of this kind"""
    content = bson.encode(body)
    if kind == OP_QUERY:
        rest = struct.pack("<iqii", 8, 0, 0, 1) + content
        return struct.pack("<iiii", HEADER + len(rest), 0, answered, OP_REPLY) + rest
    rest = struct.pack("<I", flags) + b"\0" + content
    return struct.pack("<iiii", HEADER + len(rest), 0, answered, OP_MSG) + rest
