import { expect, test } from 'vitest';
import { billedNow } from './billed';

const flavor = { vcpus: 2, ram_gb: 4, disk_gb: 20, gpu_slices: 1 };
const launched_at = '2026-11-01T00:00:00.000Z';

/** The quantities of an instance's price: vCPUs, memory, boot disk, GPU slices. */
const quantities = (instance: Omit<Parameters<typeof billedNow>[0], 'flavor'>) =>
  billedNow({ ...instance, flavor }).map(({ quantity }) => quantity);

test.each([
  ['while it is created, the price of the running instance', 'provisioning', null, [2, 4, 20, 1]],
  ['all of it while it is active', 'active', launched_at, [2, 4, 20, 1]],
  ['all of it while it is paused, as its memory stays reserved', 'paused', launched_at, [2, 4, 20, 1]],
  ['only the boot disk while it is stopped', 'stopped', launched_at, [0, 0, 20, 0]],
  ['nothing if it failed before its first start', 'error', null, [0, 0, 0, 0]],
  ['nothing while it is deleted', 'deleting', launched_at, [0, 0, 0, 0]],
] as const)('an instance shows %s', (_, status, launched, expected) => {
  expect(quantities({ status, launched_at: launched })).toEqual(expected);
});
