import type { StreamLabels } from '@/lib/domains/observability/logs/labels';
import { levelOf } from '@/lib/domains/observability/logs/level';
import { WaitingLines } from '@/lib/domains/observability/logs/waiting-lines';
import type { RunnableVersion } from './facts';
import type { LiveLine } from './lines';

const MOST_LABELS = 10_000;

/**
 * Lines on their way to the log store, in which they are found by `service="function"`. A platform that is killed loses the last
 * half second of them there; the history of invocations has it.
 */
export class StoredLines {
  private readonly lines = new WaitingLines('lines of functions');
  /** Shared by the lines of a stream: the store knows them again at once. */
  private readonly labels = new Map<string, StreamLabels>();

  add(version: RunnableVersion, { at, stream, message, invocation_id }: LiveLine): void {
    this.lines.add({
      project_id: version.project_id,
      labels: this.labelsOf(version, levelOf(message), stream),
      at: new Date(at),
      text: stream === 'platform' || invocation_id === null ? message : `${invocation_id} ${message}`,
    });
  }

  private labelsOf({ function_id, name }: RunnableVersion, level: string, stream: string): StreamLabels {
    const key = `${function_id} ${stream} ${level} ${name}`;
    const known = this.labels.get(key);
    if (known) return known;
    if (this.labels.size >= MOST_LABELS) this.labels.clear();
    const labels: StreamLabels = { service: 'function', resource_id: function_id, resource_name: name, level, stream };
    this.labels.set(key, labels);
    return labels;
  }

  /** Stores what waits. */
  flush(): Promise<void> {
    return this.lines.flush();
  }
}
