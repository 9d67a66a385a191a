import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { onChange } from '@/lib/core/db/changes';
import { FunctionHost } from '@/lib/domains/functions/pool/host';
import { replaceEngines } from '@/lib/engines/engines';
import { ownCell } from '@/lib/settings';
import { MemoryEngines } from './memory-engines';

/*
 * A separate process that runs functions, for tests that kill it: by itself, KILL_AFTER_MS after it began. Each start of a
 * handler is a line of STARTS, written before anything else. Other processes reach it at POOL_SOCKET. One of so many events as
 * CRASH_EVERY ends its instance.
 */
const engines = new MemoryEngines();
const { STARTS = '', POOL_SOCKET, CRASH_EVERY } = process.env;
if (POOL_SOCKET) engines.functions.poolSocket = () => POOL_SOCKET;
engines.functions.handler = async (event) => {
  appendFileSync(STARTS, `${JSON.stringify(event)}\n`);
  await delay(2);
  if (CRASH_EVERY && Number(event) % Number(CRASH_EVERY) === 0)
    return { kind: 'ended', end: { reason: 'exit', code: 1, signal: null } };
  return { kind: 'result', result: event };
};
replaceEngines(engines, ownCell());
const lifetime = process.env.KILL_AFTER_MS;
if (lifetime) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(lifetime));
const host = new FunctionHost(ownCell());
onChange(() => host.look());
for (;;) {
  await host.look();
  await delay(20);
}
