import { levelOf } from '@/lib/domains/observability/logs/level';
import { type LogEntry, writeLogs } from '@/lib/domains/observability/logs/write';
import { log } from '@/lib/log';
import type { RunnableVersion } from './facts';
import type { LiveLine } from './lines';

/** Lines that wait for the log store; beyond, the oldest are left out there. */
const MOST_WAITING = 50_000;
const AT_ONCE = 5000;

/** Lines on their way to the log store, in which they are found by `service="function"`. */
export class StoredLines {
  private waiting: LogEntry[] = [];
  private lost = new Map<string, number>();

  add({ project_id, function_id, name }: RunnableVersion, { at, stream, message, invocation_id }: LiveLine): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.lost.set(project_id, (this.lost.get(project_id) ?? 0) + 1);
      return;
    }
    this.waiting.push({
      project_id,
      labels: { service: 'function', resource_id: function_id, resource_name: name, level: levelOf(message), stream },
      at: new Date(at),
      text: stream === 'platform' || invocation_id === null ? message : `${invocation_id} ${message}`,
    });
  }

  /** Stores what waits. A platform that is killed loses the last half second of it there; the history of invocations has it. */
  async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const taken = this.waiting.splice(0, AT_ONCE);
      const lost = this.lost;
      this.lost = new Map();
      try {
        await writeLogs(taken, undefined, lost);
      } catch (error) {
        log.warn({ err: error }, 'lines of functions could not be stored');
        return;
      }
    }
  }
}
