import { type Metric, seriesOf } from '@/lib/core/devices/metric';
import type { Traffic } from './engine';

type TrafficMetric = Metric & { of: (traffic: Traffic) => number };

/** @param received what "received" means for the kind, @param sent likewise */
const trafficOf = (kind: string, received: string, sent: string): readonly TrafficMetric[] => [
  metric(kind, 'receive', 'bytes', `Bytes ${received}.`, ({ receivedBytes }) => receivedBytes),
  metric(kind, 'transmit', 'bytes', `Bytes ${sent}.`, ({ sentBytes }) => sentBytes),
  metric(kind, 'receive', 'packets', `Packets ${received}.`, ({ receivedPackets }) => receivedPackets),
  metric(kind, 'transmit', 'packets', `Packets ${sent}.`, ({ sentPackets }) => sentPackets),
];

function metric(kind: string, name: string, unit: string, help: string, of: TrafficMetric['of']): TrafficMetric {
  return { name: `nephele_${kind}_${name}_${unit}`, type: 'counter', unit, help, of };
}

/** The metrics of each kind, in the order of their values in a sample. */
export const trafficMetrics = {
  network: trafficOf('network', 'to machines of the network', 'from machines of the network'),
  router: trafficOf('router', 'from outside', 'to the outside'),
  floating_ip: trafficOf('floating_ip', 'from outside to the address', 'from the address to the outside'),
} as const;

export type CountedKind = keyof typeof trafficMetrics;

/** The series of each kind. */
export const trafficSeries: Readonly<Record<CountedKind, ReturnType<typeof seriesOf>>> = {
  network: seriesOf(trafficMetrics.network),
  router: seriesOf(trafficMetrics.router),
  floating_ip: seriesOf(trafficMetrics.floating_ip),
};
