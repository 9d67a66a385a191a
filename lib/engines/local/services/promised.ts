import type { Host } from '../host';
import { listSandboxes, processesOf, residentBytes } from './sandbox';
import { allServices } from './service-record';

const MIB = 1024 ** 2;

/** Processors and memory that running services were promised, and the part of the memory that they do not use yet. */
type Promised = { vcpus: number; memoryMb: number; unusedMb: number };

/** A promise counts as soon as the service is recorded, so that no machine takes its room while it starts. */
export async function promisedToServices(host: Host): Promise<Promised> {
  const services = [...(await allServices(host)).values()].filter(({ power }) => power === 'running');
  if (services.length === 0) return { vcpus: 0, memoryMb: 0, unusedMb: 0 };
  // Without the runtime's list no service is known to run, and all that was promised counts as unused.
  const sandboxes = await listSandboxes(host).catch(() => []);
  const pids = new Map(sandboxes.flatMap(({ id, pid, isRunning }) => (isRunning ? [[id, pid] as const] : [])));
  const unused = services.map(async ({ id, memoryMb }) => {
    const pid = pids.get(id);
    const usedBytes = pid === undefined ? 0 : await residentBytes(processesOf(pid));
    return Math.max(0, memoryMb - usedBytes / MIB);
  });
  return {
    // Machines have whole vCPUs.
    vcpus: Math.ceil(sum(services.map(({ cpuMillis }) => cpuMillis)) / 1000),
    memoryMb: sum(services.map(({ memoryMb }) => memoryMb)),
    unusedMb: sum(await Promise.all(unused)),
  };
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
