import type { Host } from '../host';
import { listSandboxes, processesOf, residentBytes } from './sandbox';
import { allServices } from './service-record';

const MIB = 1024 ** 2;

/**
 * Memory that running services were promised, and the part of it that they do not use yet. A promise counts as soon as the
 * service is recorded, so that no machine takes the memory while it starts.
 */
export async function promisedMemory(host: Host): Promise<{ promisedMb: number; unusedMb: number }> {
  const services = [...(await allServices(host)).values()].filter(({ power }) => power === 'running');
  if (services.length === 0) return { promisedMb: 0, unusedMb: 0 };
  // Without its runtime nothing is known to run, and all that was promised counts as unused.
  const sandboxes = await listSandboxes(host).catch(() => []);
  const pids = new Map(sandboxes.flatMap(({ id, pid, isRunning }) => (isRunning ? [[id, pid] as const] : [])));
  const unused = services.map(async ({ id, memoryMb }) => {
    const pid = pids.get(id);
    const usedBytes = pid === undefined ? 0 : await residentBytes(processesOf(pid));
    return Math.max(0, memoryMb - usedBytes / MIB);
  });
  return {
    promisedMb: services.reduce((sum, { memoryMb }) => sum + memoryMb, 0),
    unusedMb: (await Promise.all(unused)).reduce((sum, value) => sum + value, 0),
  };
}
