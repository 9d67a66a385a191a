import type { PartSeries } from '@/lib/core/devices/series';
import type { ProjectSeries } from './project-samples';
import type { Labels } from './promql/match';
import type { Matcher } from './promql/syntax';
import { NAME } from './promql/vector';
import type { Resource, SampledKind } from './resources';
import type { MetricType, Unit } from './schema';

export const units: Readonly<Record<MetricType, Unit>> = {
  cpu: 'cores',
  ram: 'bytes',
  network: 'bytes_per_second',
  disk: 'bytes_per_second',
};

/**
 * A metric that is part of a type; labels tell apart the parts of one type. `also` are those of resources whose use another
 * one counts too: a volume's in an instance's disks, a network's in those of its machines.
 */
type Part = { type: MetricType; end: string; also?: readonly string[]; labels: Labels };

const passing = (direction: string) => ['network', 'router', 'floating_ip'].map((kind) => `${kind}_${direction}_bytes`);

/** The parts of each type, by the end of the metric's name. */
export const parts: readonly Part[] = [
  { type: 'cpu', end: 'cpu_seconds', labels: {} },
  { type: 'ram', end: 'memory_bytes', labels: {} },
  { type: 'network', end: 'network_receive_bytes', also: passing('receive'), labels: { direction: 'receive' } },
  { type: 'network', end: 'network_transmit_bytes', also: passing('transmit'), labels: { direction: 'transmit' } },
  { type: 'disk', end: 'disk_read_bytes', also: ['volume_read_bytes'], labels: { direction: 'read' } },
  { type: 'disk', end: 'disk_write_bytes', also: ['volume_write_bytes'], labels: { direction: 'write' } },
];

const partOf = (kind: string, metric: string, inner: boolean) =>
  parts.findIndex(
    ({ end, also = [] }) =>
      metric === `nephele_${kind}_${end}` || (inner && also.some((name) => metric === `nephele_${name}`)),
  );

/** Whether resources of a kind report metrics of a type. */
export const reportsType = ({ kind, metrics }: SampledKind, type: MetricType): boolean =>
  metrics.some(({ name }) => parts[partOf(kind, name, true)]?.type === type);

/**
 * The series of some types that the matching resources may have; a part may have several after an upgrade.
 * @param options.inner with resources whose use another one counts too, which must not be added up
 */
export async function seriesOfTypes(
  project: ProjectSeries,
  types: readonly MetricType[],
  { matchers = [], inner = false }: { matchers?: readonly Matcher[]; inner?: boolean } = {},
): Promise<{ resources: ReadonlyMap<string, Resource>; series: PartSeries[] }> {
  const resources = new Map<string, Resource>();
  const series = new Map<string, PartSeries>();
  for (const { resource, labels, of } of await project.find(matchers)) {
    const part = partOf(resource.kind, labels[NAME] ?? '', inner);
    const type = parts[part]?.type;
    if (type === undefined || !types.includes(type)) continue;
    resources.set(resource.id, resource);
    series.set(`${of.shape_id} ${of.position}`, { shape_id: of.shape_id, position: of.position, part });
  }
  return { resources, series: [...series.values()] };
}
