"""The server, a program of its own in this box: how it is started, ended and asked."""

import os
import subprocess
import sys
import time

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

PACKAGES = "/usr/lib/python3/dist-packages"
INNER_PORT = 27018
START_SECONDS = 600
END_SECONDS = 6
PROGRAM = f"import runpy, sys; sys.path.insert(0, {PACKAGES!r}); sys.argv[0] = 'secantus'; runpy.run_module('secantus', run_name='__main__')"
SUPERUSER = "nephele"
ROLES = ["readWrite", "dbAdmin"]
AUTHENTICATION_FAILED = 18
NO_SUCH_USER = 11


def connect(timeout_ms, **user):
    wait = {"serverSelectionTimeoutMS": timeout_ms, "connectTimeoutMS": timeout_ms, "socketTimeoutMS": timeout_ms}
    return MongoClient("127.0.0.1", INNER_PORT, directConnection=True, maxPoolSize=4, **wait, **user)


def signs_in(name, password, source, timeout_ms=20_000):
    """@returns whether this password is the one that the server knows"""
    with connect(timeout_ms, username=name, password=password, authSource=source) as client:
        try:
            client[source].command("ping")
            client[source].command("connectionStatus")
            return True
        except OperationFailure as error:
            if error.code == AUTHENTICATION_FAILED:
                return False
            raise


class Daemon:
    def __init__(self, data, cache_mb):
        self.data, self.cache_mb = data, cache_mb
        self.process = None

    def start(self, needs_password=True):
        """Starts it and returns when it answers. @raises RuntimeError when it ends before"""
        options = ["--host", "127.0.0.1", "--port", str(INNER_PORT), "--storage-path", self.data, "--sync-on-commit"]
        options += ["--cache-size", f"{self.cache_mb}M", "--log-level", "ERROR"]
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", PROGRAM, *options, *(["--auth"] if needs_password else [])],
            stdin=subprocess.DEVNULL,
        )
        until = time.monotonic() + START_SECONDS
        with connect(500) as client:
            while True:
                try:
                    client.admin.command("ping")
                    return
                except PyMongoError:
                    if self.process.poll() is not None or time.monotonic() > until:
                        raise RuntimeError("the server does not start") from None
                time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def begin(self, users):
        """Starts it with the platform's own account, which a first start, or the data of another cluster, do not have."""
        if os.path.exists(os.path.join(self.data, "WiredTiger")):
            self.start()
            if signs_in(SUPERUSER, users["superuser"], "admin"):
                return
            self.stop()
        # Nobody but this box reaches it meanwhile.
        self.start(needs_password=False)
        with connect(20_000) as client:
            put_user(client.admin, SUPERUSER, users["superuser"], ["root"])
        self.stop()
        self.start()

    def settle(self, users):
        """Gives the tenant's account its password. @returns whether it had another one"""
        name, password, database = users["username"], users["password"], users["database"]
        if signs_in(name, password, database):
            return False
        with self.platform(users) as client:
            put_user(client[database], name, password, ROLES)
        if not signs_in(name, password, database):
            raise RuntimeError("the server does not take the password")
        return True

    @staticmethod
    def platform(users, timeout_ms=20_000):
        return connect(timeout_ms, username=SUPERUSER, password=users["superuser"], authSource="admin")


def put_user(database, name, password, roles):
    try:
        database.command("updateUser", name, pwd=password, roles=roles)
    except OperationFailure as error:
        if error.code != NO_SUCH_USER:
            raise
        database.command("createUser", name, pwd=password, roles=roles)
