import { stat } from 'node:fs/promises';
import type { Host } from '../host';
import { withMonitor } from '../qmp';
import { lastLines } from './console-log';
import { consoleLogFile, monitorSocket } from './instance-record';

const PANIC = "Kernel panic - not syncing: IO-APIC + timer doesn't work!";
const LINES = 60;

/**
 * An emulated guest on a host that is busy beyond measure may miss its first timer ticks, and Linux gives up at that
 * point of its boot for good. Nothing has happened yet then, so the machine is simply reset.
 */
export class TimerPanic {
  private handledAt = -1;

  constructor(
    private readonly host: Host,
    private readonly id: string,
  ) {}

  readonly nudge = async (): Promise<void> => {
    const file = consoleLogFile(this.host, this.id);
    const { output } = await lastLines(file, LINES);
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    const sinceBoot = output.slice(output.lastIndexOf('Linux version'));
    if (!sinceBoot.includes(PANIC) || size === this.handledAt) return;
    this.handledAt = size;
    await withMonitor(monitorSocket(this.host, this.id), (monitor) => monitor.execute('system_reset'));
  };
}
