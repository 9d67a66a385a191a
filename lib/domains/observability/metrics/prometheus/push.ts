import { transaction } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { clearQueue, nextQueued, type QueuedSample, removeQueued, samplesOf } from '@/lib/core/devices/pushes';
import type { Domain } from '@/lib/core/domains/domain';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { grouped } from '../../logs/logql/vectors';
import { attempts, OutsideRefusal } from '../../outside';
import { type FoundSeries, ProjectSeries } from '../project-samples';
import { type SampledKind, sampledKinds } from '../resources';
import { askPrometheus } from './client';
import { remoteWrite, type WrittenSeries } from './remote-write';

/** Samples of one request, about ten values each: less than 3 MB. */
const BATCH = 1000;
/** As long as Prometheus’ own clients wait. */
const REQUEST_MS = 30_000;

/** Sends samples to the Prometheus of `PROMETHEUS_URL`. */
export function pushSamplesJob(domains: readonly Domain[]): PeriodicJob {
  return { name: 'push samples to Prometheus', every_ms: 5000, run: (signal) => pushSamples(domains, signal) };
}

const attempted = attempts('samples could not be sent to Prometheus');

/** Sends all queued samples, oldest first. A sample stays queued until Prometheus has confirmed it: a crash loses none. */
export async function pushSamples(domains: readonly Domain[], signal: AbortSignal): Promise<void> {
  if (settings().prometheusUrl === undefined) {
    await clearQueue();
    return;
  }
  await attempted(signal, () =>
    transaction(async (run) => {
      // Of two workers that send the same samples, Prometheus would refuse one.
      const [lock] = await run<{ taken: boolean }>(
        sql`SELECT pg_try_advisory_xact_lock(hashtext('nephele push samples')) AS taken`,
      );
      if (lock?.taken) await sendQueued(sampledKinds(domains), signal);
    }),
  );
}

async function sendQueued(kinds: readonly SampledKind[], signal: AbortSignal): Promise<void> {
  for (let keys = await nextQueued(BATCH); keys.length > 0 && !signal.aborted; keys = await nextQueued(BATCH)) {
    const samples = await samplesOf(keys);
    const refused = await send(samples, await seriesOfDevices(kinds, samples), signal);
    if (refused.length > 0) {
      log.warn(
        { samples: refused.length, err: refused[0] },
        'Prometheus refused samples: they are in the own store only',
      );
    }
    await removeQueued(keys);
  }
}

const deviceOf = ({ device_id, shape_id }: { device_id: string; shape_id: number }) => `${device_id} ${shape_id}`;

type SeriesOfDevices = ReadonlyMap<string, readonly FoundSeries[]>;

async function seriesOfDevices(
  kinds: readonly SampledKind[],
  samples: readonly QueuedSample[],
): Promise<SeriesOfDevices> {
  const projects = [...new Set(samples.map(({ project_id }) => project_id))];
  const found = await Promise.all(projects.map((id) => new ProjectSeries(id, kinds).find([])));
  return grouped(found.flat(), ({ of }) => deviceOf(of));
}

function written(samples: readonly QueuedSample[], series: SeriesOfDevices): WrittenSeries[] {
  return [...grouped(samples, deviceOf)].flatMap(([device, own]) =>
    (series.get(device) ?? []).map(({ labels, of: { position } }) => ({
      labels,
      samples: own.flatMap(({ at, values }) => {
        const value = values[position - 1];
        return value === undefined ? [] : [{ at: at.getTime(), value }];
      }),
    })),
  );
}

/**
 * Prometheus refuses a whole request for one sample that is too old, for instance if a worker stopped between sending and
 * removing it. Each half is then sent separately, down to that sample. @returns why it refused samples, one error each
 */
async function send(
  samples: readonly QueuedSample[],
  series: SeriesOfDevices,
  signal: AbortSignal,
): Promise<OutsideRefusal[]> {
  const body = written(samples, series);
  if (body.length === 0) return [];
  try {
    await askPrometheus('write', {
      body: remoteWrite(body),
      headers: {
        'Content-Type': 'application/x-protobuf',
        'Content-Encoding': 'snappy',
        'X-Prometheus-Remote-Write-Version': '0.1.0',
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    });
    return [];
  } catch (error) {
    if (!(error instanceof OutsideRefusal && error.status === 400)) throw error;
    if (samples.length === 1) return [error];
    const half = Math.ceil(samples.length / 2);
    const older = await send(samples.slice(0, half), series, signal);
    return [...older, ...(await send(samples.slice(half), series, signal))];
  }
}
