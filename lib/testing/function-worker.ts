import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { onChange } from '@/lib/core/db/changes';
import { FunctionHost } from '@/lib/domains/functions/pool/host';
import { replaceEngines } from '@/lib/engines/engines';
import { ownCell } from '@/lib/settings';
import { MemoryEngines } from './memory-engines';

/*
 * A separate process that runs functions, for tests that kill it: by itself, KILL_AFTER_MS after it began. Each start of a
 * handler is a line of STARTS, written before anything else.
 */
const engines = new MemoryEngines();
engines.functions.handler = async (event) => {
  appendFileSync(process.env.STARTS ?? '', `${JSON.stringify(event)}\n`);
  await delay(2);
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
