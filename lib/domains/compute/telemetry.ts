import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { volumeDiskSeries } from '@/lib/domains/storage/volume-metrics';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { countEgress, type EgressReading } from '@/lib/money/metering/egress';
import type { InstanceStats } from './engine';
import { instanceMetrics, instanceSeries } from './instance-metrics';

/** How many machines are sampled at once. */
const AT_ONCE = 8;

type Running = { id: string; project_id: string; name: string };

/** Records the current counters of the cell's running machines. */
export async function sampleInstances(cell: string): Promise<void> {
  const running = await query<Running>(sql`
    SELECT id, project_id, name FROM instances WHERE cell_id = ${cell}::text AND status IN ('active', 'paused', 'rebooting')`);
  const samples: DeviceSample[] = [];
  const volumes: DeviceSample[] = [];
  const readings: EgressReading[] = [];
  const waiting = [...running];
  const ask = async () => {
    for (let instance = waiting.pop(); instance !== undefined; instance = waiting.pop()) {
      const stats = await sample(cell, instance.id);
      if (!stats) continue;
      samples.push({
        project_id: instance.project_id,
        device_id: instance.id,
        at: stats.sampledAt,
        values: instanceMetrics.map(({ of }) => of(stats)),
      });
      volumes.push(...volumesOf(instance, stats));
      readings.push(...egressOf(instance, stats));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  if (samples.length === 0) return;
  await countEgress(readings);
  await keepSamples(instanceSeries, samples);
  await keepSamples(volumeDiskSeries, volumes);
}

const volumesOf = ({ project_id }: Running, { sampledAt, volumes }: InstanceStats): DeviceSample[] =>
  volumes.map(({ id, disk: { readBytes, writtenBytes, readOperations, writeOperations } }) => ({
    ...{ project_id, device_id: id, at: sampledAt },
    values: [readBytes, writtenBytes, readOperations, writeOperations],
  }));

async function sample(cell: string, id: string): Promise<InstanceStats | null> {
  try {
    return await engineOf(cell).compute.sampleInstance(id);
  } catch (error) {
    log.debug({ err: error, instance: id }, 'a machine could not be sampled');
    return null;
  }
}

function egressOf({ id, project_id, name }: Running, { sampledAt, portEgress }: InstanceStats): EgressReading[] {
  const owner = { project_id, device_id: id, resource: { type: 'instance', name } };
  return portEgress.map((port) => ({ ...owner, counter: { port_id: port.id }, at: sampledAt, bytes: port.bytes }));
}
