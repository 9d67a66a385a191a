import { join } from 'node:path';
import { z } from 'zod';
import type { Host } from '../host';
import { withMonitor } from '../qmp';
import { readRecord, recordFile, removeRecord, writeRecord } from '../record';
import { logSize, textSince } from './console-log';
import { consoleLogFile, monitorSocket } from './instance-record';

/**
 * An emulated guest on a host that is busy beyond measure may miss its first timer ticks, and Linux gives up at that
 * point of its boot for good. Nothing has happened yet then, so the machine is simply reset.
 */
const TIMER_PANIC = "Kernel panic - not syncing: IO-APIC + timer doesn't work!";

/** A guest that asks for a name or a command on its serial port is there. */
export const PROMPT = /login: |^[^\n]*@[^\n]*[#$] /m;

/** A boot whose end nobody has seen yet: where its output begins in the console's log. */
const bootRecord = z.object({ from: z.int() });
const bootFile = (host: Host, id: string) => recordFile(join(host.directory, 'boots'), id);

/** Follows one boot on the guest's serial port. Whoever comes after a crash of the engine follows it further. */
export class BootWatch {
  private constructor(
    private readonly host: Host,
    private readonly id: string,
    private from: number,
  ) {}

  /** Begins with what the guest writes from now on. */
  static async begin(host: Host, id: string): Promise<BootWatch> {
    const watch = new BootWatch(host, id, await logSize(consoleLogFile(host, id)));
    await watch.remember();
    return watch;
  }

  /** Goes on with a boot whose end was not seen; undefined where there is none. */
  static async resume(host: Host, id: string): Promise<BootWatch | undefined> {
    const record = await readRecord(bootFile(host, id), bootRecord);
    return record ? new BootWatch(host, id, record.from) : undefined;
  }

  /** The boot has ended, or its machine has; no error when there was none. */
  static end(host: Host, id: string): Promise<void> {
    return removeRecord(bootFile(host, id));
  }

  /** Whether the guest has come up; helps one that is stuck. */
  async isUp(): Promise<boolean> {
    const file = consoleLogFile(this.host, this.id);
    const text = await textSince(file, this.from);
    if (text.includes(TIMER_PANIC)) {
      this.from = await logSize(file);
      await this.remember();
      await withMonitor(monitorSocket(this.host, this.id), (monitor) => monitor.execute('system_reset'));
      return false;
    }
    return PROMPT.test(text);
  }

  private remember(): Promise<void> {
    return writeRecord(bootFile(this.host, this.id), { from: this.from });
  }
}
