import { expect, it, vi } from 'vitest';
import { keepRunning, type Launch } from './keep-running';

/** A process controlled by the test. */
function stage() {
  const running: { end(reason: string): void; stopped: boolean }[] = [];
  const failures: string[] = [];
  const launch: Launch = async () => {
    const failure = failures.shift();
    if (failure) throw new Error(failure);
    let end = (_reason: string) => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const one = { end, stopped: false };
    running.push(one);
    const stop = async () => {
      one.stopped = true;
      one.end('stopped');
    };
    return { ended, stop };
  };
  const report = vi.fn();
  const shutdown = new AbortController();
  return {
    running,
    failures,
    report,
    shutdown,
    keep: () => keepRunning('it', launch, { report, until: shutdown.signal }),
  };
}

it('fails when the first launch fails, and does not retry', async () => {
  const { failures, running, keep } = stage();
  failures.push('no such file');
  await expect(keep()).rejects.toThrow('no such file');
  expect(running).toHaveLength(0);
});

it('restarts a process that ended, even if that takes several attempts, and logs why', async () => {
  const { running, failures, report, keep } = stage();
  const kept = await keep();
  failures.push('not yet', 'still not');
  running[0]?.end('signal SIGKILL');
  await vi.waitUntil(() => running.length === 2, { timeout: 5000 });
  expect(report.mock.calls.flat()).toEqual([
    'it ended (signal SIGKILL); restarting it',
    'it could not be started: not yet',
    'it could not be started: still not',
  ]);
  await kept.stop();
  expect(running[1]?.stopped).toBe(true);
});

it('a stopped process stays stopped, even between two attempts', async () => {
  const { running, failures, keep } = stage();
  const kept = await keep();
  failures.push(...Array.from({ length: 100 }, () => 'no'));
  running[0]?.end('exit code 1');
  await vi.waitUntil(() => failures.length < 100);
  const left = failures.length;
  await kept.stop();
  expect(failures.length).toBeGreaterThanOrEqual(left - 1);
  expect(running).toHaveLength(1);
});

it('a requested restart is not logged as a failure', async () => {
  const { running, report, keep } = stage();
  const kept = await keep();
  await kept.restart();
  await vi.waitUntil(() => running.length === 2);
  expect(report).not.toHaveBeenCalled();
  await kept.stop();
});

it('nothing is restarted once the platform stops', async () => {
  const { running, report, shutdown, keep } = stage();
  const kept = await keep();
  shutdown.abort();
  expect(running[0]?.stopped).toBe(false);
  running[0]?.end('signal SIGTERM');
  await kept.stop();
  expect(running).toHaveLength(1);
  expect(report).not.toHaveBeenCalled();
});
