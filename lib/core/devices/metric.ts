/** A metric that devices of a kind report (services, section 10): `nephele_{resource}_{metric}_{unit}`. */
export type Metric = {
  readonly name: string;
  /** A counter only grows, until it restarts at 0. */
  readonly type: 'counter' | 'gauge';
  readonly unit: string;
  /** One sentence for people who choose a metric. */
  readonly help: string;
};

/** The metrics of one kind of device. */
export type KindMetrics = {
  /** The label `service` of their series. */
  readonly service: string;
  readonly metrics: readonly Metric[];
  /** For devices that are not resources, such as the members of a cluster: SQL with `project_id`, `id` and `name`. */
  readonly devices?: string;
};

/** One series for each metric. @param labels of all of them */
export const seriesOf = (metrics: readonly Metric[], labels: DeviceSeries['labels'] = {}): DeviceSeries[] =>
  metrics.map(({ name, type }) => ({ name, type, labels }));

/** One series of a device; `labels` tells apart those of one name. */
export type DeviceSeries = {
  readonly name: string;
  readonly type: Metric['type'];
  readonly labels: Readonly<Record<string, string>>;
};
