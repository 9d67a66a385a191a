import { log } from '@/lib/log';
import { type LogEntry, writeLogs } from './write';

/** Lines that wait; beyond, new ones are left out and counted. */
const MOST_WAITING = 50_000;
const AT_ONCE = 5000;

/**
 * Lines that a process of the platform writes about requests of tenants, on their way to the log store. A process that is
 * killed loses those that wait.
 */
export class WaitingLines {
  private waiting: LogEntry[] = [];
  private lost = new Map<string, number>();

  /** @param whose for the platform's log: `lines of functions` */
  constructor(private readonly whose: string) {}

  add(entry: LogEntry): void {
    if (this.waiting.length < MOST_WAITING) this.waiting.push(entry);
    else this.lost.set(entry.project_id, (this.lost.get(entry.project_id) ?? 0) + 1);
  }

  /** Stores what waits. */
  async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const taken = this.waiting.splice(0, AT_ONCE);
      const lost = this.lost;
      this.lost = new Map();
      try {
        await writeLogs(taken, undefined, lost);
      } catch (error) {
        log.warn({ err: error }, `${this.whose} could not be stored`);
        return;
      }
    }
  }
}
