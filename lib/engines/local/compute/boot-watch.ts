import type { Host } from '../host';
import { withMonitor } from '../qmp';
import { logSize, textSince } from './console-log';
import { consoleLogFile, monitorSocket } from './instance-record';

/**
 * An emulated guest on a host that is busy beyond measure may miss its first timer ticks, and Linux gives up at that
 * point of its boot for good. Nothing has happened yet then, so the machine is simply reset.
 */
const TIMER_PANIC = "Kernel panic - not syncing: IO-APIC + timer doesn't work!";

/** A guest that asks for a name or a command on its serial port is there. */
export const PROMPT = /login: |^[^\n]*@[^\n]*[#$] /m;

/** Follows one boot on the guest's serial port. */
export class BootWatch {
  private constructor(
    private readonly host: Host,
    private readonly id: string,
    private from: number,
  ) {}

  /** Begins with what the guest writes from now on. */
  static async begin(host: Host, id: string): Promise<BootWatch> {
    return new BootWatch(host, id, await logSize(consoleLogFile(host, id)));
  }

  /** Whether the guest has come up; helps one that is stuck. */
  async isUp(): Promise<boolean> {
    const file = consoleLogFile(this.host, this.id);
    const text = await textSince(file, this.from);
    if (text.includes(TIMER_PANIC)) {
      this.from = await logSize(file);
      await withMonitor(monitorSocket(this.host, this.id), (monitor) => monitor.execute('system_reset'));
      return false;
    }
    return PROMPT.test(text);
  }
}
