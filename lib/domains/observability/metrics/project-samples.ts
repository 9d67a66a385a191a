import {
  type KnownSeries,
  knownSeries,
  type Level,
  levelOf,
  readPoints,
  reportedSeries,
  type SeriesOfDevice,
} from '@/lib/core/devices/series';
import type { Samples, Steps, StoredSeries } from './promql/evaluate';
import { type Labels, testOfAll } from './promql/match';
import type { Expression, Matcher } from './promql/syntax';
import { ExecutionError, NAME } from './promql/vector';
import { type Resource, resourcesOf, type SampledKind } from './resources';

/** Samples that one selector may read: 1,000 series of a day, every 15 s. */
const MOST_SAMPLES = 6_000_000;
const LOOKBACK_MS = 300_000;
/** A rolled-up value counts until the next one is due, and a minute for the time that rolling up takes. */
const LATE_MS = 60_000;

export type FoundSeries = { labels: Labels; of: SeriesOfDevice; resource: Resource };

/** The series of one project: whatever a selector says, it finds no others. */
export class ProjectSeries {
  constructor(
    private readonly projectId: string,
    private readonly kinds: readonly SampledKind[],
  ) {}

  /** The series that match, with or without samples. */
  async find(matchers: readonly Matcher[]): Promise<FoundSeries[]> {
    const isName = testOfAll(matchers.filter(({ label }) => label === NAME));
    const kinds = this.kinds
      .map((kind) => ({ ...kind, metrics: kind.metrics.filter(({ name }) => isName({ [NAME]: name })) }))
      .filter(({ metrics }) => metrics.length > 0);
    const names = kinds.flatMap(({ metrics }) => metrics.map(({ name }) => name));
    if (names.length === 0) return [];
    const [known, resources] = await Promise.all([knownSeries(names), resourcesOf(this.projectId, kinds)]);
    const matches = testOfAll(matchers);
    return kinds.flatMap(({ kind, service, metrics }) => {
      const own = new Set(metrics.map(({ name }) => name));
      const series = known.filter(({ name }) => own.has(name));
      return resources
        .filter((resource) => resource.kind === kind)
        .flatMap((resource) => series.map((one) => this.seriesOf(one, resource, service)))
        .filter(({ labels }) => matches(labels));
    });
  }

  /** The series that match and have a sample in the span. */
  async reported(matchers: readonly Matcher[], span: { from: Date; to: Date }): Promise<FoundSeries[]> {
    const found = await this.find(matchers);
    const rows = await reportedSeries(
      this.projectId,
      found.map(({ of }) => of),
      span,
    );
    const there = new Set(rows.map(({ device_id, shape_id }) => `${device_id} ${shape_id}`));
    return found.filter(({ of }) => there.has(`${of.device_id} ${of.shape_id}`));
  }

  /** Where the selectors of a query read: at the finest level that still has its earliest sample. */
  samplesFor(query: Expression, steps: Steps, now: Date): Samples & { level: Level } {
    return this.samplesAt(levelOf(new Date(earliest(query, steps.start)), now));
  }

  /** The samples of a level, for a query that a coarser one answers as well. */
  samplesAt(level: Level): Samples & { level: Level } {
    return {
      level,
      lookback_ms: level === 15 ? LOOKBACK_MS : level * 1000 + LATE_MS,
      select: ({ matchers }, span) => this.read(matchers, span, level),
    };
  }

  private async read(
    matchers: readonly Matcher[],
    { from, to }: { from: number; to: number },
    level: Level,
  ): Promise<StoredSeries[]> {
    const found = await this.find(matchers);
    if ((found.length * (to - from)) / (level * 1000) > MOST_SAMPLES) {
      throw new ExecutionError('query processing would load too many samples: select fewer series, or a shorter time');
    }
    const points = await readPoints(
      this.projectId,
      found.map(({ of }) => of),
      { from: new Date(from), to: new Date(to), level },
    );
    const byKey = new Map(points.map((point) => [keyOf(point), point]));
    return found.flatMap(({ labels, of }) => {
      const stored = byKey.get(keyOf(of));
      return stored ? [{ labels, at: stored.at, values: stored.values, rolled: stored.rolled }] : [];
    });
  }

  private seriesOf(series: KnownSeries, resource: Resource, service: string): FoundSeries {
    const { shape_id, position, type } = series;
    return {
      labels: {
        ...series.labels,
        [NAME]: series.name,
        project: this.projectId,
        service,
        resource_id: resource.id,
        resource_name: resource.name,
      },
      of: { device_id: resource.id, shape_id, position, type },
      resource,
    };
  }
}

const keyOf = ({ device_id, shape_id, position }: Omit<SeriesOfDevice, 'type'>) =>
  `${device_id} ${shape_id} ${position}`;

/** The first moment that a query reads, but for what it looks back. */
function earliest(expression: Expression, start: number): number {
  switch (expression.kind) {
    case 'selector':
      return start - expression.offset_ms - expression.range_ms;
    case 'negation':
      return earliest(expression.of, start);
    case 'binary':
      return Math.min(earliest(expression.left, start), earliest(expression.right, start));
    case 'aggregation':
      return Math.min(
        earliest(expression.of, start),
        expression.parameter ? earliest(expression.parameter, start) : start,
      );
    case 'call':
      return Math.min(start, ...expression.args.map((arg) => earliest(arg, start)));
    default:
      return start;
  }
}
