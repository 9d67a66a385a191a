import { shortName } from './promql-builder';
import type { MetricInfo } from './units';

/** Metrics that share a chart: reads and writes of a disk, both directions of a network. */
export interface ChartGroup {
  title: string;
  metrics: readonly { metric: MetricInfo; label: string }[];
}

const directions: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Written',
  receive: 'Received',
  transmit: 'Sent',
  egress: 'Egress',
};
const acronyms: Readonly<Record<string, string>> = { cpu: 'CPU', io: 'I/O' };
/** Units that the values have beside them. */
const written = new Set(['bytes', 'seconds', 'cores', 'percent']);

/** The charts of a type of resource: metrics that differ only in their direction are in one chart. */
export function chartGroups(metrics: readonly MetricInfo[], kind: string): ChartGroup[] {
  const groups = new Map<string, { metric: MetricInfo; label: string }[]>();
  for (const metric of metrics.filter(({ name }) => name.startsWith(`nephele_${kind}_`))) {
    const words = shortName(metric.name, kind).split(' ');
    const stem = words.filter((word) => !(word in directions) && !(word === metric.unit && written.has(word)));
    const direction = words.map((word) => directions[word]).find((word) => word !== undefined);
    // `nephele_volume_read_bytes` has no other name.
    const title = stem.length > 0 ? sentence(stem) : direction ? 'Throughput' : sentence(words);
    groups.set(title, [...(groups.get(title) ?? []), { metric, label: direction ?? title }]);
  }
  return [...groups].map(([title, of]) => ({ title, metrics: of }));
}

function sentence(words: readonly string[]): string {
  const [first = '', ...rest] = words.map((word) => acronyms[word] ?? word);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}
