import { now } from '@/lib/clock';
import type { FunctionLogLine } from '../schema';

/** What is kept of the log of one attempt. */
const KEPT_BYTES = 256 * 1024;

/** A line as those who follow a function get it; `index` counts the lines of its attempt. */
export type LiveLine = FunctionLogLine & { index: number };

/** The log of one attempt: kept up to a limit, and given to those who follow. */
export class AttemptLog {
  private readonly kept: Omit<FunctionLogLine, 'invocation_id'>[] = [];
  private bytes = 0;
  private count = 0;
  isTruncated = false;

  constructor(
    private readonly invocationId: string,
    private readonly follow: (line: LiveLine) => void,
  ) {}

  add(stream: FunctionLogLine['stream'], message: string): void {
    const line = { at: now().toISOString(), stream, message };
    this.bytes += Buffer.byteLength(message) + 60;
    // The lines of the platform are few, and always there.
    if (this.bytes <= KEPT_BYTES || stream === 'platform') this.kept.push(line);
    else this.isTruncated = true;
    this.follow({ ...line, invocation_id: this.invocationId, index: this.count });
    this.count += 1;
  }

  text(): string {
    return JSON.stringify(this.kept);
  }

  lines(): LiveLine[] {
    return this.kept.map((line, index) => ({ ...line, invocation_id: this.invocationId, index }));
  }
}
