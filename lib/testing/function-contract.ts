import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { StartFailure } from '@/lib/domains/functions/engine';
import type { Language, LocalSubject, Running } from '@/lib/engines/local/functions/test-subject';
import { listenOnLoopback } from './loopback';

const languages = ['python', 'node', 'deno'] as const;

/** The same small functions in each language. */
const code: Record<
  Language,
  Record<'echo' | 'fails' | 'spins' | 'hoards' | 'shouts' | 'huge' | 'unwritable', string>
> = {
  python: {
    echo: `import os
def handler(event, context):
    print("seen", event["n"])
    return {"event": event, "id": context.aws_request_id, "left": context.get_remaining_time_in_millis(), "name": context.function_name, "secret": os.environ.get("SECRET")}`,
    fails: 'def handler(event, context):\n    raise ValueError("no good")',
    spins: 'def handler(event, context):\n    while True: pass',
    hoards: 'def handler(event, context):\n    kept = []\n    while True: kept.append(bytearray(8_000_000))',
    shouts: 'def handler(event, context):\n    while True: print("y" * 1000)',
    huge: 'def handler(event, context):\n    return "x" * 7_000_000',
    unwritable: 'def handler(event, context):\n    return {1, 2}',
  },
  node: {
    echo: `export async function handler(event, context) {
      console.log('seen', event.n);
      return { event, id: context.awsRequestId, left: context.getRemainingTimeInMillis(), name: context.functionName, secret: process.env.SECRET };
    }`,
    fails: 'export async function handler() { throw new TypeError("no good"); }',
    spins: 'export function handler() { for (;;); }',
    hoards:
      'export function handler() { const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length + 0.5)); }',
    shouts: 'export function handler() { for (;;) console.log("y".repeat(1000)); }',
    huge: 'export const handler = async () => "x".repeat(7_000_000);',
    unwritable: 'export const handler = async () => { const one = {}; one.self = one; return one; };',
  },
  deno: {
    echo: `export async function handler(event: { n: number }, context: any) {
      console.log('seen', event.n);
      return { event, id: context.awsRequestId, left: context.getRemainingTimeInMillis(), name: context.functionName, secret: Deno.env.get('SECRET') };
    }`,
    fails: 'export async function handler() { throw new TypeError("no good"); }',
    spins: 'export function handler() { for (;;); }',
    hoards:
      'export function handler() { const kept: number[][] = []; for (;;) kept.push(new Array(1e6).fill(kept.length + 0.5)); }',
    shouts: 'export function handler() { for (;;) console.log("y".repeat(1000)); }',
    huge: 'export const handler = async () => "x".repeat(7_000_000);',
    unwritable: 'export const handler = async () => { const one: any = {}; one.self = one; return one; };',
  },
};

/** Everything that an attacker would try from a handler; each answers with what it has got. */
const ATTACKS = `import ctypes, errno, os, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def error_of(work):
    try:
        return ["done", work()]
    except OSError as error:
        return [errno.errorcode.get(error.errno, error.errno)]
    except Exception as error:
        return [type(error).__name__]

def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(number, *args)
    return errno.errorcode.get(ctypes.get_errno(), "done") if result < 0 else "done"

def connect(family, address):
    with socket.socket(family) as one:
        one.settimeout(2)
        one.connect(address)
        return True

def bomb():
    made = 0
    try:
        while made < 5000:
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            made += 1
    except OSError as error:
        return [made, errno.errorcode[error.errno]]
    return [made, "done"]

def fill(path, megabytes):
    with open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(b"x" * 1048576)

def hide():
    # Where an instance may keep something: files, System V and POSIX shared memory, its own memory, and an abstract socket.
    global kept
    mark = os.environ["MARK"].encode()
    open("/tmp/" + os.environ["MARK"], "wb").write(mark)
    error_of(lambda: open("/dev/shm/kept", "wb").write(mark))
    libc.shmat.restype = ctypes.c_void_p
    shared = libc.shmget(0x4e4550, 4096, 0o1666)
    if shared >= 0:
        ctypes.memmove(ctypes.c_void_p(libc.shmat(shared, None, 0)), mark, len(mark))
    listener = socket.socket(socket.AF_UNIX)
    error_of(lambda: listener.bind("\\0nephele-kept"))
    error_of(listener.listen)
    kept = [mark * 1000, listener, shared]
    return len(kept[0])

def memory_of(pid):
    found = b""
    for line in open(f"/proc/{pid}/maps"):
        if "rw" not in line.split()[1]:
            continue
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            memory.seek(start)
            try:
                found += memory.read(min(end - start, 1 << 24))
            except OSError:
                pass
    return found

def others():
    got = {"tmp": os.listdir("/tmp"), "shm": error_of(lambda: os.listdir("/dev/shm")), "processes": [], "memory": [], "read": []}
    libc.shmat.restype = ctypes.c_void_p
    shared = libc.shmget(0x4e4550, 0, 0)
    got["segment"] = shared if shared < 0 else ctypes.string_at(libc.shmat(shared, None, 0), 64).hex()
    got["segments"] = len(open("/proc/sysvipc/shm").readlines()) - 1 if os.path.exists("/proc/sysvipc/shm") else 0
    got["abstract"] = error_of(lambda: connect(socket.AF_UNIX, "\\0nephele-kept"))
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    buffer = ctypes.create_string_buffer(64)
    for pid in range(1, 40000):
        if os.path.exists(f"/proc/{pid}"):
            got["processes"].append(pid)
            if pid != os.getpid():
                for path in ["environ", "cmdline"]:
                    got["read"].append(error_of(lambda: open(f"/proc/{pid}/{path}", "rb").read().hex()))
                got["memory"].append(error_of(lambda: memory_of(pid).hex()))
        ctypes.set_errno(0)
        local = Vector(ctypes.cast(buffer, ctypes.c_void_p).value, 64)
        away = Vector(0x400000, 64)
        if pid != os.getpid() and libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(away), 1, 0) > 0:
            got["memory"].append([pid, "process_vm_readv"])
    return got

ATTACKS = {
    "identity": lambda: [os.getuid(), os.getgid(), os.getgroups(), open("/proc/self/status").read()],
    "root": lambda: sorted(os.listdir("/")),
    "read": lambda: {path: error_of(lambda: open(path).read(64)) for path in ["/etc/shadow", "/root/.bashrc", "/proc/1/environ", "/proc/kcore", "/sys/kernel/uevent_seqnum", "/dev/kmsg", "/dev/sda", "/dev/mem"]},
    "write": lambda: {path: error_of(lambda: open(path, "w").close()) for path in ["/var/task/x", "/usr/x", "/x", "/etc/x", "/var/runtime/runtime.py", "/opt/x", "/dev/x", "/proc/sys/kernel/hostname", "/run/x"]},
    "processes": lambda: [pid for pid in os.listdir("/proc") if pid.isdigit()],
    "interfaces": lambda: [name for _, name in socket.if_nameindex()],
    "connect": lambda: [error_of(lambda: connect(socket.AF_INET, address)) for address in [("10.0.0.1", 80), ("169.254.169.254", 80), ("93.184.216.34", 443)]],
    "listen": lambda: error_of(lambda: connect(socket.AF_INET, ("127.0.0.1", int(os.environ["PORT"])))),
    "kernel": lambda: {name: call(number, 0, 0, 0, 0, 0) for name, number in {"ptrace": 101, "mount": 165, "unshare": 272, "setns": 308, "bpf": 321, "keyctl": 250, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "pivot_root": 155, "init_module": 175, "kexec_load": 246, "open_by_handle_at": 304, "chroot": 161}.items()},
    "namespace": lambda: call(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "raw": lambda: error_of(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
    "kill": lambda: error_of(lambda: os.kill(-1, 0)),
    "bomb": bomb,
    "fill": lambda: error_of(lambda: fill("/tmp/full", 200)),
    "leave": lambda: open("/tmp/mine", "w").write("mine"),
    "look": lambda: sorted(os.listdir("/tmp")),
    "environment": lambda: dict(os.environ),
    "hide": hide,
    "others": others,
    "channel": lambda: os.write(3, b"\\x00\\x00\\x00\\x04junk"),
    "lie": lambda: os.write(3, b"\\x7f\\xff\\xff\\xff"),
    "exit": lambda: sys.exit(7),
    "crash": lambda: ctypes.string_at(0),
    "stopped": lambda: os.kill(os.getpid(), signal.SIGKILL),
}

def handler(event, context):
    return ATTACKS[event]()
`;

/** Instances of functions, as root and as an ordinary user. */
/** More than a pipe takes at once. */
const WORDY_LINES = 500;
const wordyScript = (out: string, error: string) => `export const handler = async (event) => {
  for (let number = 0; number < ${WORDY_LINES}; number += 1) {
    ${out}(event + ' ' + number + ' ' + 'x'.repeat(200) + '\\n');
    ${error}(event + ' ' + number + ' ' + 'x'.repeat(200) + '\\n');
  }
  ${out}(event + ' unfinished');
  ${error}(event + ' unfinished');
  return event;
};`;
/** Writes to both streams until it returns, and ends no last line. */
const wordy = {
  python: `import sys
def handler(event, context):
    for number in range(${WORDY_LINES}):
        for stream in (sys.stdout, sys.stderr):
            stream.write(f"{event} {number} {'x' * 200}\\n")
    for stream in (sys.stdout, sys.stderr):
        stream.write(f"{event} unfinished")
    return event
`,
  node: wordyScript('process.stdout.write.bind(process.stdout)', 'process.stderr.write.bind(process.stderr)'),
  deno: wordyScript(
    '((text) => Deno.stdout.writeSync(new TextEncoder().encode(text)))',
    '((text) => Deno.stderr.writeSync(new TextEncoder().encode(text)))',
  ),
} as const;

export function functionContract(local: LocalSubject): void {
  const { start } = local;

  describe.each(languages)('%s', (language) => {
    let echo: Running;
    beforeAll(async () => {
      echo = await start(language, code[language].echo, { environment: { SECRET: 'only mine' } });
    });

    test('runs its handler for one event after the other, with context, environment and log', async () => {
      for (const n of [1, 2]) {
        expect(await echo.invoke({ n })).toMatchObject({
          kind: 'result',
          result: {
            event: { n },
            id: expect.any(String),
            left: expect.any(Number),
            name: 'tested',
            secret: 'only mine',
          },
        });
        expect(echo.lines.at(-1)).toEqual({ stream: 'stdout', message: `seen ${n}` });
      }
    });

    test('has written the whole log of an event by the time it answers, and the next event’s begins after it', async () => {
      const { instance, lines, invoke } = await local.start(language, wordy[language]);
      for (let event = 0; event < 20; event += 1) {
        lines.length = 0;
        expect(await invoke(event)).toMatchObject({ kind: 'result', result: event });
        for (const stream of ['stdout', 'stderr']) {
          const heard = lines.filter((line) => line.stream === stream).map(({ message }) => message);
          expect(heard).toEqual([
            ...Array.from({ length: WORDY_LINES }, (_, number) => `${event} ${number} ${'x'.repeat(200)}`),
            `${event} unfinished`,
          ]);
        }
      }
      await instance.kill();
    });

    test('tells an error with its stack, and goes on', async () => {
      const one = await start(language, code[language].fails);
      const outcome = { kind: 'error', error: { type: expect.stringMatching(/Error$/), message: 'no good' } };
      expect(await one.invoke()).toMatchObject(outcome);
      const second = await one.invoke();
      expect(second).toMatchObject(outcome);
      expect(second.kind === 'error' ? second.error.stack : null).toContain('no good');
    });

    test('ends when its event takes too long', async () => {
      const one = await start(language, code[language].spins);
      expect(await one.invoke({}, 500)).toMatchObject({ kind: 'ended', end: { reason: 'timeout' }, durationMs: 500 });
      expect(one.instance.isAlive()).toBe(false);
    });

    test('ends when it needs more memory than it has', async () => {
      const one = await start(language, code[language].hoards);
      expect(await one.invoke({}, 60_000)).toMatchObject({ kind: 'ended', end: { reason: 'memory' } });
    });

    test('ends when it writes without end', async () => {
      const one = await start(language, code[language].shouts);
      expect(await one.invoke({}, 60_000)).toMatchObject({ kind: 'ended', end: { reason: 'log' } });
    });

    test('may not answer with more than 6 MB, nor with what is no JSON, and goes on', async () => {
      const huge = await start(language, code[language].huge);
      expect(await huge.invoke()).toMatchObject({ kind: 'error', error: { type: 'Function.ResponseTooLarge' } });
      expect(huge.instance.isAlive()).toBe(true);
      const other = await start(language, code[language].unwritable);
      expect(await other.invoke()).toMatchObject({ kind: 'error', error: { type: 'Runtime.MarshalError' } });
    });

    test('whose code does not load says why', async () => {
      const failure = await start(language, 'this is no program (').catch((error) => error);
      expect(failure).toBeInstanceOf(StartFailure);
      expect(failure.error).toMatchObject({ type: expect.stringContaining('Error') });
    });
  });

  describe('an attacker', () => {
    let box: Running;
    let listener: Server;
    let port = 0;
    const attack = async (name: string) => {
      if (!box.instance.isAlive()) box = await start('python', ATTACKS, { environment: { PORT: String(port) } });
      const outcome = await box.invoke(name);
      return outcome.kind === 'result' ? outcome.result : outcome;
    };
    beforeAll(async () => {
      listener = createServer((_, response) => response.end('inside'));
      port = await listenOnLoopback(listener);
      box = await start('python', ATTACKS, { environment: { PORT: String(port) } });
    });
    afterAll(() => void listener.close());

    test('is a user without rights', async () => {
      const [uid, gid, groups, status] = (await attack('identity')) as [number, number, number[], string];
      expect([uid, gid]).toEqual([1000, 1000]);
      expect(groups.filter((group) => group === 0)).toEqual([]);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^CapBnd:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
    });

    test('sees its runtime and its code, and nothing else of the host', async () => {
      expect(await attack('root')).toEqual(['dev', 'etc', 'lib', 'lib64', 'proc', 'run', 'tmp', 'usr', 'var']);
      // The first process of the sandbox has no environment.
      for (const [path, result] of Object.entries((await attack('read')) as Record<string, unknown[]>))
        expect([path, result]).toEqual([
          path,
          path === '/proc/1/environ' ? ['done', ''] : [expect.stringMatching(/^E|Error$/)],
        ]);
      for (const result of Object.values((await attack('write')) as object)) expect(result[0]).not.toBe('done');
      expect(((await attack('processes')) as string[]).length).toBeLessThanOrEqual(3);
    });

    test('has no network', async () => {
      expect(await attack('interfaces')).toEqual(['lo']);
      for (const result of (await attack('connect')) as string[][]) expect(result[0]).not.toBe('done');
      expect(await attack('listen')).toEqual(['ECONNREFUSED']);
    });

    test('is refused what it asks of the kernel', async () => {
      for (const [name, result] of Object.entries((await attack('kernel')) as object))
        expect([name, result]).toEqual([name, 'EPERM']);
      expect(await attack('namespace')).toBe('EPERM');
      expect(await attack('raw')).toEqual(['EPERM']);
    });

    test('cannot fork without end, nor fill the disk', async () => {
      const bomb = await box.invoke('bomb');
      // Without cgroups, the memory of so many may be noticed before.
      if (bomb.kind === 'ended') expect(bomb.end).toEqual({ reason: 'memory' });
      else {
        expect(bomb).toMatchObject({ result: [expect.any(Number), 'EAGAIN'] });
        expect(bomb.kind === 'result' && Array.isArray(bomb.result) ? bomb.result[0] : 0).toBeLessThan(130);
      }
      await box.instance.kill();
      const filled = await attack('fill');
      expect(filled).not.toEqual(['done', null]);
    });

    test('leaves nothing for the next instance, and sees nothing of another one', async () => {
      await attack('leave');
      const other = await start('python', ATTACKS, { environment: { OTHER: 'secret of the other' } });
      expect(await other.invoke('look')).toMatchObject({ result: [] });
      expect(JSON.stringify(await attack('environment'))).not.toContain('secret of the other');
      await box.instance.kill();
      expect(await attack('look')).toEqual([]);
    });

    test('reads neither memory, files, shared memory nor sockets of another function that runs beside it', async () => {
      const mark = `of-the-other-${newId()}`;
      const other = await start('python', ATTACKS, { environment: { MARK: mark } });
      expect(await other.invoke('hide')).toMatchObject({ kind: 'result', result: mark.length * 1000 });
      // What is asked finds what is there: the other instance sees its own.
      expect(await other.invoke('look')).toMatchObject({ result: [mark] });
      const got = (await attack('others')) as Record<string, unknown>;
      expect(got).toMatchObject({ tmp: [], segments: 0, abstract: ['ECONNREFUSED'] });
      expect(Number(got.segment)).toBe(-1);
      const text = JSON.stringify(got);
      for (const secret of [mark, Buffer.from(mark).toString('hex')]) expect(text.includes(secret)).toBe(false);
      expect(text).not.toContain('process_vm_readv');
      // Its own runtime and the first process of its sandbox are all that it can even name.
      expect((got.processes as number[]).length).toBeLessThanOrEqual(3);
      expect(other.instance.isAlive()).toBe(true);
      await other.instance.kill();
    });

    test.each([
      ['channel', { reason: 'protocol' }],
      ['lie', { reason: 'protocol' }],
      ['exit', { reason: 'exit', code: 7, signal: null }],
      ['crash', { reason: 'exit', code: null, signal: '11' }],
      ['stopped', { reason: 'exit', code: null, signal: '9' }],
    ])('who tries "%s" ends the instance alone', async (name, end) => {
      expect(await attack(name)).toMatchObject({ kind: 'ended', end });
      expect(await attack('look')).toEqual([]);
    });

    test('finds no secret on any command line, in the environment of another process, or on the disk', async () => {
      const one = await start('python', ATTACKS, { environment: { KEY: 'correct-horse-battery' } });
      expect(await one.invoke('environment')).toMatchObject({ result: { KEY: 'correct-horse-battery' } });
      const own = readdirSync('/proc').flatMap((pid) => {
        if (!/^\d+$/.test(pid)) return [];
        try {
          return ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1'));
        } catch {
          return [];
        }
      });
      expect(own.filter((text) => text.includes('correct-horse-battery'))).toEqual([]);
      expect(filesWith(local.host.dataDir, 'correct-horse-battery')).toEqual([]);
      expect(one.instance.isAlive()).toBe(true);
    });
  });

  describe('an instance', () => {
    test('is gone with everything that it has started when it is killed', async () => {
      const one = await start('python', ATTACKS);
      await one.invoke('bomb');
      await one.instance.kill();
      expect(one.instance.isAlive()).toBe(false);
      await vi.waitFor(() => expect(sleepers()).toEqual([]), 15_000);
    });

    test('of a Python layer and a Node layer finds its packages, a later one before an earlier one', async () => {
      const layer = (text: string) =>
        local.folderOf({
          'python/shared.py': `NAME = "${text}"`,
          'nodejs/node_modules/shared/package.json': '{"name": "shared", "main": "index.js"}',
          'nodejs/node_modules/shared/index.js': `module.exports = "${text}";`,
        });
      const layerFolders = [layer('first'), layer('second')];
      const python = await start('python', 'import shared\ndef handler(event, context):\n    return shared.NAME', {
        layerFolders,
      });
      expect(await python.invoke()).toMatchObject({ result: 'second' });
      const node = await start('node', "import shared from 'shared';\nexport const handler = async () => shared;", {
        layerFolders,
      });
      expect(await node.invoke()).toMatchObject({ result: 'second' });
      const required = `import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        const shared = require('shared');
        export const handler = async () => shared;`;
      const deno = await start('deno', required, { layerFolders });
      expect(await deno.invoke()).toMatchObject({ result: 'second' });
    });

    test('finds what only one of its layers has, packages of scopes too, and prefers its own code to all of them', async () => {
      const first = local.folderOf({
        'python/only.py': 'NAME = "only"',
        'python/shared.py': 'NAME = "layer"',
        'nodejs/node_modules/@scope/only/package.json': '{"name": "@scope/only", "main": "index.js"}',
        'nodejs/node_modules/@scope/only/index.js': 'module.exports = "only";',
        'nodejs/node_modules/shared/index.js': 'module.exports = "layer";',
      });
      const second = local.folderOf({
        'python/other.py': '',
        'nodejs/node_modules/@scope/other/index.js': '',
        'nodejs/node_modules/shared/index.js': 'module.exports = "later";',
      });
      const layerFolders = [first, second];
      const python = await start('python', '', {
        layerFolders,
        codeFolder: local.folderOf({
          'main.py': 'import only, shared\ndef handler(event, context):\n    return [only.NAME, shared.NAME]',
          'shared.py': 'NAME = "own"',
        }),
      });
      expect(await python.invoke()).toMatchObject({ result: ['only', 'own'] });
      const node = await start('node', '', {
        layerFolders,
        codeFolder: local.folderOf({
          'index.mjs':
            "import only from '@scope/only';\nimport shared from 'shared';\nexport const handler = async () => [only, shared];",
          'node_modules/shared/index.js': 'module.exports = "own";',
        }),
      });
      expect(await node.invoke()).toMatchObject({ result: ['only', 'own'] });
    });
  });

  describe('handlers of the shapes that AWS documents run unchanged', () => {
    test('Python: a class-free module with a logger, a client made once, and errors of its own', async () => {
      const one = await start(
        'python',
        `import json
import logging
import os

logger = logging.getLogger()
logger.setLevel(logging.INFO)
table = os.environ["TABLE"]
started = 0

class OrderNotFound(Exception):
    pass

def lambda_handler(event, context):
    global started
    started += 1
    logger.info("request %s", context.aws_request_id)
    if event.get("order") is None:
        raise OrderNotFound("no order in the event")
    assert context.get_remaining_time_in_millis() > 0
    assert len(context.aws_request_id) == 36
    return {
        "statusCode": 200,
        "headers": {"Content-Type": "application/json"},
        "body": json.dumps({"order": event["order"], "table": table, "calls": started, "function": context.function_name,
            "version": context.function_version, "memory": int(context.memory_limit_in_mb), "group": context.log_group_name,
            "arn": context.invoked_function_arn is not None, "stream": context.log_stream_name is not None}),
    }
`,
        { handler: 'main.lambda_handler', environment: { TABLE: 'orders' } },
      );
      expect(await one.invoke({})).toMatchObject({
        kind: 'error',
        error: {
          type: expect.stringContaining('OrderNotFound'),
          message: 'no order in the event',
          stack: expect.stringContaining('lambda_handler'),
        },
      });
      const outcome = await one.invoke({ order: 7 });
      if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome));
      const { statusCode, body } = outcome.result as { statusCode: number; body: string };
      expect([statusCode, JSON.parse(body)]).toMatchObject([
        200,
        { order: 7, table: 'orders', calls: 2, function: 'tested', version: '1', memory: 128, arn: true, stream: true },
      ]);
      expect(one.text()).toContain('[INFO]');
    });

    test('Node.js: an exported async arrow function, one of CommonJS, and one with a callback', async () => {
      const module = await start(
        'node',
        `const table = process.env.TABLE;
export const handler = async (event, context) => {
  console.log('Remaining time: ', context.getRemainingTimeInMillis());
  console.log('Function name: ', context.functionName);
  console.info('EVENT\\n' + JSON.stringify(event, null, 2));
  if (!event.order) throw new RangeError('no order in the event');
  const { logStreamName, logGroupName, memoryLimitInMB, functionVersion, awsRequestId, invokedFunctionArn } = context;
  return { statusCode: 200, body: JSON.stringify({ table, order: event.order, fields: [logStreamName, logGroupName, memoryLimitInMB, functionVersion, awsRequestId, invokedFunctionArn].map((one) => typeof one) }) };
};`,
        { environment: { TABLE: 'orders' } },
      );
      expect(await module.invoke({})).toMatchObject({
        kind: 'error',
        error: { type: 'RangeError', message: 'no order in the event' },
      });
      const answer = await module.invoke({ order: 7 });
      expect(answer).toMatchObject({
        kind: 'result',
        result: { statusCode: 200, body: expect.stringContaining('"table":"orders"') },
      });
      expect(JSON.stringify(answer)).not.toContain('undefined');
      const common = await start('node', '', {
        codeFolder: local.folderOf({
          'index.js': `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
exports.handler = async function (event, context) {
  await sleep(5);
  return context.functionName + ' ' + event.key1;
};`,
        }),
      });
      expect(await common.invoke({ key1: 'one' })).toMatchObject({ result: 'tested one' });
      const called = await start('node', '', {
        codeFolder: local.folderOf({
          'index.js': `exports.handler = function (event, context, callback) {
  context.callbackWaitsForEmptyEventLoop = false;
  setTimeout(() => (event.fail ? callback(new Error('as asked')) : callback(null, { got: event.key1 })), 5);
};`,
        }),
      });
      expect(await called.invoke({ key1: 'two' })).toMatchObject({ result: { got: 'two' } });
      expect(await called.invoke({ fail: true })).toMatchObject({ kind: 'error', error: { message: 'as asked' } });
    });

    test('Deno: the same module as that of Node.js', async () => {
      const one = await start(
        'deno',
        `import process from 'node:process';
export const handler = async (event, context) => {
  console.log('Remaining time: ', context.getRemainingTimeInMillis());
  return { table: process.env.TABLE, name: context.functionName, version: context.functionVersion, memory: context.memoryLimitInMB,
    fields: [context.logStreamName, context.logGroupName, context.invokedFunctionArn, context.awsRequestId].map((one) => typeof one) };
};`,
        { environment: { TABLE: 'orders' } },
      );
      expect(await one.invoke({})).toMatchObject({
        result: {
          table: 'orders',
          name: 'tested',
          version: '1',
          memory: '128',
          fields: ['string', 'string', 'string', 'string'],
        },
      });
    });
  });

  describe('a way out', () => {
    const REQUESTS = `from pip._vendor import requests
def handler(event, context):
    try:
        answer = requests.get(event, timeout=5)
        return answer.text if answer.ok else f"refused: {answer.status_code}"
    except requests.RequestException as error:
        return f"refused: {error}"`;
    const clients: Record<Language, string> = {
      python: `import urllib.request
def handler(event, context):
    try:
        return urllib.request.urlopen(event, timeout=5).read().decode()
    except Exception as error:
        return f"refused: {error}"`,
      node: `export const handler = async (event) => {
        try { const answer = await fetch(event); return answer.ok ? await answer.text() : 'refused: ' + answer.status; }
        catch (error) { return 'refused: ' + error; }
      };`,
      deno: `export const handler = async (event: string) => {
        try { const answer = await fetch(event); return answer.ok ? await answer.text() : 'refused: ' + answer.status; }
        catch (error) { return 'refused: ' + error; }
      };`,
    };
    let outside: Server;
    let port = 0;
    let proxy: EgressProxy;
    const socket = local.engine.egressSocket(newId());
    beforeAll(async () => {
      outside = createServer((_, response) => response.end('hello'));
      port = await listenOnLoopback(outside);
      // The first instance has made the folder of the sockets.
      await start('python', code.python.echo);
      proxy = await startEgressProxy(socket, {
        policy: {
          allowed: ['127.0.0.1'],
          resolve: async (host) => [{ address: host === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 }],
        },
        ports: [port],
        mostConnections: 16,
        idleMs: 10_000,
      });
      chmodSync(socket, 0o666);
    });
    afterAll(async () => {
      await proxy.close();
      outside.close();
    });

    const usual = [...languages.map((language) => [language, language] as const), ['requests', 'python'] as const];
    const startClient = (client: string, language: Language, egressSocket: string | null) =>
      client === 'requests'
        ? start(language, REQUESTS, { egressSocket, layerFolders: [local.requestsLayer()] })
        : start(language, clients[language], { egressSocket });

    test.each(usual)(
      'is closed to the usual client of %s where the function has no network',
      async (client, language) => {
        const one = await startClient(client, language, null);
        for (const url of [`http://example.test:${port}/`, `http://127.0.0.1:${port}/`])
          expect(await one.invoke(url)).toMatchObject({ kind: 'result', result: expect.stringContaining('refused') });
        await one.instance.kill();
      },
    );

    test.each(usual)(
      'of %s leads to public addresses alone, with its usual client, and is counted',
      async (client, language) => {
        const one = await startClient(client, language, socket);
        const before = proxy.count().sentBytes;
        expect(await one.invoke(`http://example.test:${port}/`)).toMatchObject({ kind: 'result', result: 'hello' });
        expect(await one.invoke(`http://inside.test:${port}/`)).toMatchObject({
          result: expect.stringContaining('refused'),
        });
        expect(await one.invoke('http://example.test:22/')).toMatchObject({
          result: expect.stringContaining('refused'),
        });
        // What is left open is counted when it ends.
        await one.instance.kill();
        await vi.waitFor(() => expect(proxy.count().sentBytes).toBeGreaterThan(before), 15_000);
      },
    );
  });
}

/** Files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path, 'latin1').includes(text) ? [path] : [];
  });
}

/** Processes of functions that sleep: what a fork bomb leaves. */
function sleepers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('/var/runtime/runtime.py') &&
        /^PPid:\s+1$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
      );
    } catch {
      return false;
    }
  });
}
