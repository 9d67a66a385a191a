import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const LINES = 40_000;
const LINE = 'x'.repeat(94);
const LINE_BYTES = `${'0'.repeat(5)} ${LINE}\n`.length;
const BOUND = 1 << 20;
const READ = 1 << 16;

/** The supervisor's own spool with a bound of 1 MB: it is full when its reader comes, and is killed while it reads the rest. */
const script = `
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("shim", sys.argv[1])
shim = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shim)
shim.SPOOL_WAITING_BYTES, shim.READ_BYTES = ${BOUND}, ${READ}
folder = sys.argv[2]
path, logs = os.path.join(folder, "spool"), os.path.join(folder, "log")

def begin():
    log = shim.Log(logs, True)
    return shim.Spool(path, b"o", log), log

def append(numbers):
    fd = spool.for_service()
    os.write(fd, b"".join(b"%05d ${LINE}\\n" % number for number in numbers))
    os.close(fd)

spool, log = begin()
append(range(${LINES}))
reads = 0
while spool.read():
    reads += 1
    if reads % 20 == 0 and not log.dropped:
        spool, log = begin()
append(range(${LINES}, ${LINES} + 10))
while spool.read():
    pass
found, dropped = [], 0
for name in sorted(os.listdir(logs)):
    with open(os.path.join(logs, name), "rb") as file:
        for line in file.read().splitlines():
            _, kind, *rest = line.split(b" ", 2)[:3] if line else (b"", b"")
            if kind == b"o":
                found.append(int(rest[0][:5]))
            if kind == b"d":
                dropped += int(rest[0])
print(json.dumps({"found": found, "dropped": dropped}))
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-spool-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('of more lines than may wait, the oldest are left out and counted, and all others are there once', () => {
  const shim = join(import.meta.dirname, 'shim.py');
  const output = execFileSync('python3', ['-B', '-I', '-S', '-c', script, shim, folder], { encoding: 'utf8' });
  const { found, dropped } = JSON.parse(output) as { found: number[]; dropped: number };
  expect(dropped).toBeGreaterThan(0);
  // What is left: the newest, without a gap.
  expect(found).toEqual(Array.from({ length: LINES + 10 - dropped }, (_, index) => dropped + index));
  const kept = (LINES - dropped) * LINE_BYTES;
  expect(kept).toBeLessThanOrEqual(BOUND + READ);
  expect(kept).toBeGreaterThan(BOUND - READ);
});
