"""A member of a Qdrant cluster: the REST API of Qdrant in front of its core, on one port with TLS and a key.

Arguments: the port. Below /etc/service are `api-key` (SHA-256 digests of the keys, one a line), `tls/`
and `role.json`, which says whether the member begins as a follower of another one. Data are in /state.
SIGHUP reads keys and certificate anew. RESTORE is `restore` where the data come from a backup, which is waited for, and `check`
where they are only read, without a server.
"""

import importlib.metadata
import os
import signal
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = "/usr/lib/python3/dist-packages"
sys.path[:0] = [HERE, os.environ.get("QDRANT_FRAMES", HERE), os.environ.get("QDRANT_PACKAGES", PACKAGES)]

from rest import backups  # noqa: E402
from rest.follower import Follower, Peer  # noqa: E402
from rest.platform import Platform  # noqa: E402
from rest.role import Role  # noqa: E402
from rest.routes import Api  # noqa: E402
from rest.store import Optimizer, Store, say  # noqa: E402
from rest.web import Bytes, Handler, Keys, LocalServer, PublicServer, tls_context  # noqa: E402


def main():
    port = int(sys.argv[1])
    settings = os.environ.get("QDRANT_SETTINGS", HERE)
    root = os.environ.get("QDRANT_STATE", "/state")
    run = os.environ.get("QDRANT_RUN", "/run/service")
    memory_mb = int(os.environ.get("MEMORY_MB", "1024"))
    # A deep request ends as an error of the request, and not as the end of a stack.
    threading.stack_size(16 * 1024 * 1024)
    data = os.path.join(root, "qdrant")
    purpose = os.environ.get("RESTORE")
    if purpose:
        backups.restore(data, run, os.environ["INCARNATION"])
    if purpose == "check":
        backups.check(data, run)
    store = Store(
        data,
        threads=int(os.environ.get("SEARCH_THREADS", "2")),
        keep_free=int(os.environ.get("KEEP_FREE_MB", "64")) * 1024 * 1024,
    )
    store.bytes = Bytes(memory_mb * 1024 * 1024 // 16)
    keys = Keys(os.path.join(settings, "api-key"))
    tls = tls_context(os.path.join(settings, "tls"))
    api = Api(store, f"core {importlib.metadata.version('qdrant-edge-py')}")
    role = Role(os.path.join(settings, "role.json"), store.feed)
    follower = role.follower = Follower(store, role, Peer(os.path.join(settings, "tls/ca.pem"), port))
    platform = Platform(store, role, follower)
    Optimizer(store).start()
    backups.give_to_platform(store, run)

    public = PublicServer((os.environ.get("QDRANT_ADDRESS", "0.0.0.0"), port), None, bind_and_activate=False)
    path = os.path.join(run, "api.sock")
    if os.path.exists(path):
        os.remove(path)
    local = LocalServer(path, None)

    def take_settings(*_):
        try:
            keys.read()
            tls.load_cert_chain(os.path.join(settings, "tls/cert.pem"), os.path.join(settings, "tls/key.pem"))
        except (OSError, ValueError) as error:
            say(f"the settings could not be read anew: {error}")

    def end(*_):
        # In another thread: this one may hold what has to be waited for.
        threading.Thread(target=finish, daemon=True).start()

    def finish():
        store.close()
        os._exit(0)

    signal.signal(signal.SIGHUP, take_settings)
    signal.signal(signal.SIGTERM, end)
    for server, known_keys, context in ((public, keys, tls), (local, None, None)):
        server.RequestHandlerClass = Handler
        server.prepare(api.route, store, known_keys, context, platform)
    local.public_keys = keys
    public.server_bind()
    public.server_activate()
    threading.Thread(target=local.serve_forever, daemon=True).start()
    follower.start()
    say(f"serving {len(store.by_name)} collections")
    public.serve_forever(poll_interval=0.5)


main()
