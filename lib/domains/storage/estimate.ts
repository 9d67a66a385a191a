import type { Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { billedStorage } from './billed';
import type { CreateSnapshot, CreateVolume } from './schema';
import { requireVolume } from './snapshots';
import { readVolumeRow } from './volume-view';
import { findSource, requireLarger } from './volumes';

/** Exact: a 1,024th has ten decimals. */
const terabytes = (gigabytes: number) => gigabytes / 1024;

/** @throws ApiError as the create would: 404, 400 for less than the source needs, 409 */
export async function estimateVolume(call: ProjectCall, input: CreateVolume): Promise<Estimate> {
  await findSource(call, input);
  return {
    claims: [
      { dimension: 'storage_tb', amount: terabytes(input.size_gb) },
      { dimension: 'volumes', amount: 1 },
    ],
    uses: billedStorage(input.size_gb, 'Volume'),
  };
}

/** What the growth adds. @throws ApiError as the resize would: 404, 400 for less than it has, 409 */
export async function estimateResize(call: ProjectCall, id: string, size_gb: number): Promise<Estimate> {
  const row = await readVolumeRow(call, id);
  requireLarger(row, size_gb);
  const more = size_gb - row.size_gb;
  return {
    claims: [{ dimension: 'storage_tb', amount: terabytes(more) }],
    uses: billedStorage(more, 'Additional cost'),
  };
}

/** @throws ApiError as the create would: 404, 409 where the project has too many */
export async function estimateSnapshot(call: ProjectCall, { volume_id }: CreateSnapshot): Promise<Estimate> {
  const { size_gb } = await requireVolume(call, volume_id);
  return { claims: [], uses: billedStorage(size_gb, 'Snapshot') };
}
