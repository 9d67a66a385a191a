import type { Duplex } from 'node:stream';

/** BusyBox asks the terminal for its cursor position. */
const CURSOR_QUERY = '\u001b[6n';

/** A shell in a guest over its serial console, with the input and output that a person would have. */
export class GuestShell {
  private seen = '';
  private count = 0;
  private readonly changed = new Set<() => void>();

  private constructor(private readonly socket: Duplex) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.seen += text.replaceAll(CURSOR_QUERY, '');
      for (const look of this.changed) look();
    });
    socket.on('error', () => {});
  }

  /**
   * Connects and resolves when a prompt answers and the tiny image has finished its last boot messages, which would mix
   * with ours.
   */
  static async open(console: Duplex, timeoutMs = 240_000): Promise<GuestShell> {
    const shell = new GuestShell(console);
    const knock = setInterval(() => shell.socket.write('\n'), 500);
    try {
      await shell.until(/[#$] $/, timeoutMs);
    } finally {
      clearInterval(knock);
    }
    await shell.eventually("! ps | grep -q '[i]nit.d/late'", timeoutMs);
    await shell.run('dmesg -n 1');
    return shell;
  }

  /** Runs a command line and returns its output and exit status. */
  async run(command: string, timeoutMs = 60_000): Promise<{ output: string; status: number }> {
    this.count += 1;
    // The echo of the input is wrapped at the terminal's width and comes before the first mark; the guest composes the
    // marks itself.
    const [begin, end] = [`printf 'begin%s\\n' -${this.count}`, `printf 'end%s %s\\n' -${this.count} $?`];
    this.socket.write(`${begin}; ${command}; ${end}\n`);
    const pattern = new RegExp(`begin-${this.count}\\r?\\n([\\s\\S]*?)end-${this.count} (\\d+)`);
    const [, output = '', status = '-1'] = await this.until(pattern, timeoutMs);
    return { output: output.replaceAll('\r', '').trim(), status: Number(status) };
  }

  /** Repeats a command until it succeeds. */
  async eventually(command: string, timeoutMs = 60_000): Promise<string> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const { output, status } = await this.run(command, timeoutMs);
      if (status === 0) return output;
      if (Date.now() > end) throw new Error(`In the guest, "${command}" went on failing: ${output}`);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private until(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.changed.delete(look);
        this.socket.off('close', gone);
      };
      const look = () => {
        const match = pattern.exec(this.seen);
        if (!match) return;
        settle();
        resolve(match);
      };
      const fail = (why: string) => {
        settle();
        reject(new Error(`${why} while waiting for ${pattern}; last seen: ${JSON.stringify(this.seen.slice(-400))}`));
      };
      const gone = () => fail('The console closed');
      const timer = setTimeout(() => fail('Time is over'), timeoutMs);
      this.changed.add(look);
      this.socket.on('close', gone);
      look();
    });
  }
}
