import { LogCollector } from '@/lib/domains/observability/logs/collect';
import { replaceEngines } from '@/lib/engines/engines';
import { describeHost } from '@/lib/engines/local/host';
import { readLogPage } from '@/lib/engines/local/services/log-reader';
import { ownCell } from '@/lib/settings';
import { MemoryEngines } from './memory-engines';
import { toys } from './toy/domain';

/*
 * A separate process that collects the lines of toys from the files of LOG_FOLDER, for tests that kill it: by itself, in the
 * middle of a look, KILL_AFTER_MS after it began.
 */
const engines = new MemoryEngines();
const host = describeHost({ dataDir: process.env.LOG_FOLDER ?? '', cacheDir: '' });
engines.services.readLog = (id, cursor, limit) => readLogPage(host, id, cursor, limit);
replaceEngines(engines, ownCell());

const collector = new LogCollector(ownCell(), toys.logs);
const lifetime = process.env.KILL_AFTER_MS;
if (lifetime) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(lifetime));
for (;;) await collector.look();
