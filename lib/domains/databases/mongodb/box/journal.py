"""Which writes were sent to the server. A driver repeats a write that got no answer, and the server knows what it has done
only until it ends: without this, a write that was done in the moment of a crash would be done again."""

import os
import struct

RECORD = 24
MOST_RECORDS = 50_000


def pair_of(document):
    """@returns session and number of a write that a driver may repeat, as bytes; None for any other"""
    session, number = document.get("lsid"), document.get("txnNumber")
    if not isinstance(number, int) or not isinstance(session, dict) or "autocommit" in document:
        return None
    own = session.get("id")
    own = own.bytes if hasattr(own, "bytes") else own
    return struct.pack("<16sq", bytes(own), number) if isinstance(own, bytes) else None


class Journal:
    """The last writes, in two files of which the older one goes when the newer one is full. They need not survive the host."""

    def __init__(self, path):
        self.path = path
        self.former = self.read(f"{path}.old") | self.read(path)
        # What was sent before this start stays known for as long as drivers may repeat it.
        self.file, self.count = self.open(), 0

    @staticmethod
    def read(path):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return set()
        return {data[at : at + RECORD] for at in range(0, len(data) - RECORD + 1, RECORD)}

    def open(self):
        if os.path.exists(self.path):
            os.replace(self.path, f"{self.path}.old")
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def sent_before(self, pair):
        return pair in self.former

    def note(self, pair):
        if self.count >= MOST_RECORDS:
            os.close(self.file)
            self.file, self.count = self.open(), 0
        os.write(self.file, pair)
        self.count += 1
