import { onChange } from '@/lib/core/db/changes';
import { FunctionHost } from '@/lib/domains/functions/pool/host';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { ownCell } from '@/lib/settings';

/* The pool of functions in a process of its own, as a worker has it. Tells its memory when it is asked. */
const host = new FunctionHost(ownCell());
onChange(() => host.look());
await host.look();
const every = (ms: number, work: () => Promise<unknown>) => setInterval(() => work().catch(() => {}), ms);
every(500, () => host.look());
every(400, () => host.flushLines());
every(2000, () => host.tidy());
every(1000, () => foldUsage());
process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ memory: process.memoryUsage().rss, instances: host.pool.instances.count() });
});
process.once('disconnect', () => host.end().finally(() => process.exit()));
process.send?.({ ready: true });
