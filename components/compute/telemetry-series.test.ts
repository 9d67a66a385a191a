import { expect, test } from 'vitest';
import { type Metrics, timeline } from './telemetry-series';

const value = { cpu_percent: 1, memory_bytes: 1, disk_read_bytes_per_s: 0, disk_write_bytes_per_s: 0 };
const rest = { disk_reads_per_s: 0, disk_writes_per_s: 0, network_rx_bytes_per_s: 0, network_tx_bytes_per_s: 0 };
const point = (at: string): Metrics['points'][number] => ({ at, ...value, ...rest, egress_bytes_per_s: 0 });

test('where an instance was off, its line has a gap', () => {
  const metrics: Metrics = {
    range: '1h',
    interval_s: 30,
    memory_total_bytes: 1,
    points: [point('2026-11-21T12:00:00Z'), point('2026-11-21T12:00:30Z'), point('2026-11-21T12:10:00Z')],
  };
  const { from, to, rows } = timeline(metrics, Date.parse('2026-11-21T12:10:10Z'));
  expect(rows.map(({ cpu_percent }) => cpu_percent)).toEqual([1, 1, null, 1]);
  expect(to - from).toBe(3_600_000);
  expect(new Date(to).toISOString()).toBe('2026-11-21T12:10:30.000Z');
});
