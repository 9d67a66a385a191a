"""The runtime of Python functions: loads the handler and calls it for one event after the other.

The channel is file descriptor 3: four bytes of length, big-endian, and JSON, in both directions. What the handler prints is
the log. All of it is written before the answer, so that the reader knows what belongs to an event.
"""

import importlib
import json
import logging
import os
import resource
import socket
import sys
import threading
import time
import traceback

PROXY = ("127.0.0.1", 3128)
channel = socket.socket(fileno=3)
os.set_inheritable(3, False)


def receive(parts, size):
    while len(parts) < size:
        part = channel.recv(1 << 16)
        if not part:
            os._exit(0)
        parts += part


def read():
    """One message: the next one is only sent after the answer to this one, so that nothing is read too far."""
    parts = bytearray()
    receive(parts, 4)
    receive(parts, 4 + int.from_bytes(parts[:4], "big"))
    return json.loads(parts[4:])


def write(text):
    """Answers, after everything that was printed."""
    flush()
    data = text.encode("utf-8", "surrogatepass")
    channel.sendall(len(data).to_bytes(4, "big") + data)


def described(error, skipped):
    """Type, message and stack of an error, without the frames of this file."""
    trace = error.__traceback__
    for _ in range(skipped):
        trace = trace.tb_next if trace is not None else None
    stack = "".join(traceback.format_exception(type(error), error, trace))
    kind = type(error)
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__name__}"
    return {"type": name, "message": str(error)[:10000], "stack": stack[-20000:]}


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


class Context:
    """The context of an event, as AWS Lambda's handlers know it."""

    identity = None
    client_context = None

    def __init__(self, facts, request_id, deadline_ms):
        self.function_name = facts["name"]
        self.function_version = str(facts["version"])
        self.memory_limit_in_mb = str(facts["memory_mb"])
        self.aws_request_id = request_id
        self.invoked_function_arn = facts["name"]
        self.log_group_name = facts["name"]
        self.log_stream_name = str(facts["version"])
        self._deadline_ms = deadline_ms

    def get_remaining_time_in_millis(self):
        return max(0, int(self._deadline_ms - time.time() * 1000))


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    try:
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def lead_out():
    """Leads the proxy's address in this sandbox to the proxy."""
    listener = socket.create_server(PROXY, backlog=64)
    listener.set_inheritable(False)

    def accept():
        while True:
            client, _ = listener.accept()
            try:
                proxy = socket.socket(socket.AF_UNIX)
                proxy.connect("/run/egress.sock")
            except OSError:
                client.close()
                continue
            for pair in ((client, proxy), (proxy, client)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def load(handler):
    path, _, attributes = handler.partition(".")
    found = importlib.import_module(path.replace("/", "."))
    for name in attributes.split("."):
        found = getattr(found, name)
    if not callable(found):
        raise TypeError(f"{handler} is not a function.")
    return found


def prepare():
    facts = read()
    if facts["address_space"]:
        resource.setrlimit(resource.RLIMIT_AS, (facts["address_space"], facts["address_space"]))
    os.environ.update(facts["environment"])
    sys.stdout.reconfigure(line_buffering=True)
    # A later layer wins over an earlier one, and the code over all of them.
    layers = [f"/opt/{number}/python" for number in range(facts["layers"], 0, -1)]
    sys.path[:0] = ["/var/task", *[path for path in layers if os.path.isdir(path)]]
    if facts["egress"]:
        lead_out()
    printer = logging.StreamHandler(sys.stderr)
    printer.setFormatter(logging.Formatter("[%(levelname)s]\t%(message)s"))
    logging.getLogger().addHandler(printer)
    return facts


def main():
    facts = prepare()
    try:
        handler = load(facts["handler"])
    except SystemExit:
        raise
    except BaseException as error:
        write(json.dumps({"ready": False, "error": described(error, 2)}))
        os._exit(1)
    write('{"ready": true}')
    while True:
        event = read()
        context = Context(facts, event["id"], event["deadline_ms"])
        try:
            result = handler(event["event"], context)
            try:
                answer = '{"result": ' + json.dumps(result, allow_nan=False) + "}"
                if len(answer) > facts["result_bytes"]:
                    answer = json.dumps({"too_large": len(answer)})
            except (TypeError, ValueError, RecursionError) as error:
                text = f"The result of the handler cannot be written as JSON: {error}"
                answer = json.dumps({"error": {"type": "Runtime.MarshalError", "message": text, "stack": None}})
        except SystemExit:
            flush()
            raise
        except MemoryError as error:
            answer = json.dumps({"memory": True})
            del error
        except BaseException as error:
            answer = json.dumps({"error": described(error, 1)})
        write(answer)


main()
