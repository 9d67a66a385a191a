import { levelOf } from '@/lib/domains/observability/logs/level';
import { WaitingLines } from '@/lib/domains/observability/logs/waiting-lines';
import type { RunnableVersion } from './facts';
import type { LiveLine } from './lines';

/**
 * Lines on their way to the log store, in which they are found by `service="function"`. A platform that is killed loses the last
 * half second of them there; the history of invocations has it.
 */
export class StoredLines {
  private readonly lines = new WaitingLines('lines of functions');

  add({ project_id, function_id, name }: RunnableVersion, { at, stream, message, invocation_id }: LiveLine): void {
    this.lines.add({
      project_id,
      labels: { service: 'function', resource_id: function_id, resource_name: name, level: levelOf(message), stream },
      at: new Date(at),
      text: stream === 'platform' || invocation_id === null ? message : `${invocation_id} ${message}`,
    });
  }

  /** Stores what waits. */
  flush(): Promise<void> {
    return this.lines.flush();
  }
}
