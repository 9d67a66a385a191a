"""HTTP: connections, limits, the key, and answers in the form that clients of Qdrant expect."""

import contextlib
import gzip
import hashlib
import hmac
import http.client
import json
import os
import re
import socket
import ssl
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingMixIn, TCPServer, UnixStreamServer
from urllib.parse import parse_qs, unquote, urlsplit

from .errors import Refusal, malformed
from .platform import FOR_MEMBERS
from .read import parse
from .role import Elsewhere
from .store import say

MOST_BODY = 32 * 1024 * 1024
MOST_CONNECTIONS = 256
IDLE_SECONDS = 75
CHUNK = 1 << 16
# Says that a member has passed a request on: nobody does so twice.
PASSED_ON = "x-passed-on"
PASSED_HEADERS = ("api-key", "authorization", "content-type")
MOST_PASSED_BACK = 64 * 1024 * 1024
PASS_SECONDS = 60


class Answer:
    """Something else than the usual envelope around a result."""

    def __init__(self, body, kind="text/plain", status=200):
        self.body, self.kind, self.status = body, kind, status


class File:
    def __init__(self, path):
        self.path = path


class Bytes:
    """The memory that bodies take together: parsed, a body is several times its length."""

    def __init__(self, most):
        self.most, self.used = most, 0
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def hold(self, amount):
        with self.lock:
            if self.used > 0 and self.used + amount > self.most:
                raise Refusal(429, "Too many large requests at once. Try again in a moment.", retry_after=1)
            self.used += amount
        try:
            yield
        finally:
            with self.lock:
                self.used -= amount


class Keys:
    """Digests of the API key, so that the key itself is nowhere."""

    def __init__(self, path):
        self.path = path
        self.read()

    def read(self):
        with open(self.path) as file:
            self.digests = [bytes.fromhex(line.strip()) for line in file if line.strip()]

    def allows(self, given):
        digest = hashlib.sha256(given.encode()).digest()
        # All are compared, whichever fits.
        return any([hmac.compare_digest(digest, known) for known in self.digests])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "qdrant"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS

    def setup(self):
        if self.server.tls is not None:
            self.request.settimeout(10)
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        if self.request.family == socket.AF_UNIX:
            self.disable_nagle_algorithm = False
        super().setup()

    def log_message(self, *_):
        pass

    def do_any(self):
        began = time.monotonic()
        self.left = 0
        self.is_chunked = False
        try:
            answer = self.answer()
        except Refusal as refusal:
            headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
            self.say_error(refusal.status, refusal.message, began, headers)
        except Elsewhere:
            self.say_error(503, "Service unavailable: the cluster is being switched. Try again.", began, {"Retry-After": "1"})
        except (ConnectionError, TimeoutError, ssl.SSLError):
            self.close_connection = True
        except BaseException as error:
            self.say_core_error(error, began)
        else:
            self.say_answer(answer, began)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_any

    def answer(self):
        self.begin_body()
        where = urlsplit(self.path)
        parts = [unquote(part, errors="replace") for part in where.path.split("/") if part]
        if parts in (["healthz"], ["livez"], ["readyz"]):
            self.skip_body()
            return Answer(f"{parts[0]} check passed")
        if parts == ["platform", "keys"] and self.server.public_keys is not None:
            self.skip_body()
            return Answer("\n".join(digest.hex() for digest in self.server.public_keys.digests))
        if parts[:1] == ["platform"] and len(parts) == 2:
            return self.answer_platform(parts[1], parse_qs(where.query, max_num_fields=50))
        self.require_key()
        options = {name: values[-1] for name, values in parse_qs(where.query, keep_blank_values=True, max_num_fields=50).items()}
        call = self.server.route(self.command, parts)
        if call.takes_file:
            with self.serving(changes=False):
                path = self.receive_file()
            try:
                with self.serving(call.changes):
                    return call.handle({**options, "file": path})
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
        amount = MOST_BODY if self.is_chunked else self.left
        with self.server.bytes.hold(amount):
            raw = self.read_body()
            if raw and self.headers.get("content-encoding") == "gzip":
                raise Refusal(415, "Bodies are taken as they are, without content-encoding.")
            if raw and call.takes_body:
                kind = self.headers.get("content-type", "application/json").split(";")[0].strip().lower()
                if not kind.endswith("json"):
                    raise Refusal(415, "Content type error: application/json is expected")
            body = parse(raw) if raw and call.takes_body else None
            if call.takes_body and body is None and call.needs_body:
                raise malformed("EOF while parsing a value at line 1 column 0")
            try:
                with self.serving(call.changes):
                    return call.handle(options, {} if body is None else body)
            except Elsewhere:
                return self.pass_on(raw)

    def serving(self, changes):
        """Around a request of a client: whether this member serves it. The platform's own are always served."""
        return contextlib.nullcontext() if self.server.keys is None else self.server.platform.role.serving(changes)

    def pass_on(self, raw):
        """Has the member that serves answer. The connection ends with that, so that the next one leads there."""
        platform = self.server.platform
        leader = platform.role.leader
        self.close_connection = True
        try:
            if leader is None or self.headers.get(PASSED_ON) is not None:
                raise OSError("no member serves")
            headers = {name: self.headers[name] for name in PASSED_HEADERS if self.headers.get(name) is not None}
            peer = platform.follower.peer.connect(leader, PASS_SECONDS)
            with contextlib.closing(peer):
                peer.request(self.command, self.path, raw or None, {**headers, PASSED_ON: "1"})
                answer = peer.getresponse()
                body = answer.read(MOST_PASSED_BACK + 1)
            if len(body) > MOST_PASSED_BACK:
                raise OSError("the answer is too long")
        except (OSError, http.client.HTTPException) as error:
            platform.role.refused += 1
            say(f"a request could not be passed on: {str(error)[:200]}")
            raise Refusal(503, "Service unavailable: the cluster is being switched. Try again.", retry_after=1) from None
        return Answer(body, answer.headers.get("content-type") or "application/json", answer.status)

    def answer_platform(self, name, options):
        """Questions of the platform, and those of other members, which have a key of their own."""
        platform = self.server.platform
        if self.server.keys is not None:
            given = (self.headers.get("peer-key") or "").encode()
            if name not in FOR_MEMBERS or not platform.role.key or not hmac.compare_digest(given, platform.role.key.encode()):
                raise Refusal(401, "Must provide an API key or an Authorization bearer token")
        raw = self.read_body()
        return platform.answer(self.command, name, {key: values[-1] for key, values in options.items()}, parse(raw) if raw else {})

    def require_key(self):
        keys = self.server.keys
        if keys is None:
            return
        given = self.headers.get("api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ").strip()
        if not given:
            raise Refusal(401, "Must provide an API key or an Authorization bearer token")
        if not keys.allows(given):
            raise Refusal(401, "Invalid API key or JWT")

    def begin_body(self):
        lengths = self.headers.get_all("content-length") or []
        encoding = (self.headers.get("transfer-encoding") or "").lower()
        if encoding not in ("", "chunked") or len(lengths) > 1 or (encoding and lengths):
            self.close_connection = True
            raise Refusal(400, "Content-Length and Transfer-Encoding contradict each other")
        self.is_chunked = encoding == "chunked"
        if lengths and not re.fullmatch(r"[0-9]{1,15}", lengths[0]):
            self.close_connection = True
            raise Refusal(400, "Content-Length is not a number")
        self.left = int(lengths[0]) if lengths else 0

    def pieces(self, most):
        """The body in pieces. @raises Refusal for one that is longer than `most`"""
        too_large = Refusal(413, f"Payload error: JSON payload is larger than allowed (limit: {most} bytes).")
        if not self.is_chunked:
            if self.left > most:
                self.close_connection = True
                raise too_large
            while self.left > 0:
                piece = self.rfile.read(min(CHUNK, self.left))
                if not piece:
                    raise ConnectionError
                self.left -= len(piece)
                yield piece
            return
        total = 0
        while True:
            line = self.rfile.readline(66)
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}(;.*)?\r?\n", line):
                self.close_connection = True
                raise Refusal(400, "The body is not in chunks")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                break
            total += size
            if total > most:
                self.close_connection = True
                raise too_large
            while size > 0:
                piece = self.rfile.read(min(CHUNK, size))
                if not piece:
                    raise ConnectionError
                size -= len(piece)
                yield piece
            self.rfile.readline(3)
        while self.rfile.readline(1024) not in (b"\r\n", b"\n", b""):
            pass
        self.is_chunked = False

    def read_body(self):
        return b"".join(self.pieces(MOST_BODY))

    def skip_body(self):
        for _ in self.pieces(MOST_BODY):
            pass

    def receive_file(self):
        """Keeps the first part of a form as a file."""
        found = re.search(r'boundary="?([^";,\s]{1,200})"?', self.headers.get("content-type") or "")
        if not found:
            raise Refusal(400, "A form (multipart/form-data) with the snapshot is expected")
        end = b"\r\n--" + found.group(1).encode()
        store = self.server.store
        path = os.path.join(store.incoming, uuid.uuid4().hex)
        head = b""
        with open(path, "wb") as file:
            for piece in self.pieces(1 << 50):
                store.require_room()
                if head is not None:
                    head += piece
                    before, separator, piece = head.partition(b"\r\n\r\n")
                    if not separator:
                        if len(head) > 65_536:
                            raise Refusal(400, "The form has no file")
                        continue
                    head = None
                file.write(piece)
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            begin = max(0, size - 65_536)
            file.seek(begin)
            at = file.read().rfind(end + b"--")
            if head is not None or at < 0:
                os.remove(path)
                raise Refusal(400, "The form is not complete")
            file.truncate(begin + at)
        return path

    def send(self, status, body, kind="application/json", headers=None):
        # What is left of a refused body would be read as the next request.
        if self.left > 0 or self.is_chunked:
            self.close_connection = True
        with contextlib.suppress(OSError):
            self.send_response(status)
            if len(body) > 4096 and "gzip" in (self.headers.get("accept-encoding") or "") and self.server.compresses:
                body = gzip.compress(body, 1)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    def say_answer(self, answer, began):
        if isinstance(answer, Answer):
            if isinstance(answer.body, bytes):
                return self.send(answer.status, answer.body, answer.kind)
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            return self.send(answer.status, body.encode(), answer.kind)
        if isinstance(answer, File):
            return self.send_file(answer.path)
        took = time.monotonic() - began
        self.send(200, json.dumps({"result": answer, "status": "ok", "time": took}, separators=(",", ":")).encode())

    def send_file(self, path):
        with open(path, "rb") as file, contextlib.suppress(OSError):
            size = os.fstat(file.fileno()).st_size
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(size))
            self.end_headers()
            while self.command != "HEAD" and (chunk := file.read(1 << 20)):
                self.wfile.write(chunk)

    def say_error(self, status, message, began, headers=None):
        if status == 401:
            return self.send(401, message.encode(), "text/plain")
        body = {"status": {"error": message}, "time": time.monotonic() - began}
        self.send(status, json.dumps(body).encode(), headers=headers)

    def say_core_error(self, error, began):
        """The core's own refusals are of the request; anything that it did not foresee is a fault."""
        message = str(error)[:2000]
        if type(error).__name__ == "PanicException" or isinstance(error, (MemoryError, OSError, RecursionError)):
            say(f"{self.command} failed: {type(error).__name__} {message[:300]}")
            return self.say_error(500, f"Service internal error: {message[:300]}", began)
        if isinstance(error, (KeyError, AttributeError, IndexError, NameError)):
            say(f"{self.command} failed: {type(error).__name__} {message[:300]}")
            return self.say_error(400, "Format error in JSON body: data did not match the expected form", began)
        if isinstance(error, (TypeError, ValueError, OverflowError)):
            return self.say_error(400, f"Format error in JSON body: {message}", began)
        if "Index required but not found" in message or "Bad request" in message:
            message = message.removeprefix("Bad request: ").removeprefix("Bad request ")
            return self.say_error(400, f"Bad request: {message}", began)
        is_missing = message.startswith("Not found") or re.match(r"No point with id", message)
        if is_missing:
            return self.say_error(404, message if message.startswith("Not found") else f"Not found: {message}", began)
        self.say_error(400, message if message.startswith("Wrong input") else f"Wrong input: {message}", began)


class Server(ThreadingMixIn):
    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = True
    block_on_close = False

    def prepare(self, route, store, keys, tls, platform, compresses=True):
        self.route, self.store, self.keys, self.tls, self.compresses = route, store, keys, tls, compresses
        self.platform = platform
        self.bytes = store.bytes
        # Of the public port, for whoever brings new ones; only the platform's own socket tells them.
        self.public_keys = None
        self.places = threading.BoundedSemaphore(MOST_CONNECTIONS)

    def process_request(self, request, address):
        if not self.places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, address)

    def process_request_thread(self, request, address):
        try:
            super().process_request_thread(request, address)
        finally:
            self.places.release()

    def handle_error(self, *_):
        """A client that went away, or speaks no TLS."""


class PublicServer(Server, TCPServer):
    address_family = socket.AF_INET


class LocalServer(Server, UnixStreamServer):
    """For the platform alone, which reaches the socket through a folder of its own."""


def tls_context(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))
    return context
