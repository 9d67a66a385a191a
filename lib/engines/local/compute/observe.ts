import { hostname } from 'node:os';
import type { InstanceFault, InstanceSpec, ObservedInstance, PowerState } from '@/lib/domains/compute/engine';
import type { Host } from '../host';
import { type EngineProcess, findProcesses, startedAt } from '../processes';
import { type Monitor, runState, withMonitor } from '../qmp';
import { pluggedVolumes } from '../storage/devices';
import { trimLog } from './console-log';
import { allInstances, consoleLogFile, monitorSocket } from './instance-record';

/** Every machine that runs or is known on this host, from /proc, QEMU and the engine's own records. */
export async function observeAll(host: Host): Promise<ObservedInstance[]> {
  const specs = await allInstances(host);
  const machines = new Map(findProcesses(host).flatMap((found) => (found.role === 'qemu' ? [[found.id, found]] : [])));
  const ids = new Set([...specs.keys(), ...machines.keys()]);
  return Promise.all([...ids].map((id) => observeOne(host, id, specs.get(id), machines.get(id))));
}

async function observeOne(
  host: Host,
  id: string,
  spec: InstanceSpec | undefined,
  machine: EngineProcess | undefined,
): Promise<ObservedInstance> {
  await trimLog(consoleLogFile(host, id));
  const known = { id, generation: spec?.disk.generation ?? null, node: hostname() };
  if (!machine) {
    const fault = spec && spec.power !== 'stopped' ? 'crashed' : null;
    return { ...known, power: 'stopped', fault, volumeIds: [], startedAt: null };
  }
  const seen = await withMonitor(monitorSocket(host, id), look).catch(() => null);
  const { power, fault } = meaningOf(seen?.state);
  return { ...known, power, fault, volumeIds: seen?.volumeIds ?? spec?.volumeIds ?? [], startedAt: startedAt(machine) };
}

const look = async (monitor: Monitor) => ({
  state: await runState(monitor),
  volumeIds: await pluggedVolumes(monitor),
});

/** QEMU's run states in the platform's words. */
function meaningOf(state: string | undefined): { power: PowerState; fault: InstanceFault | null } {
  switch (state) {
    case undefined:
      return { power: 'running', fault: 'unresponsive' };
    case 'shutdown':
      return { power: 'stopped', fault: 'guest_shutdown' };
    case 'io-error':
      return { power: 'paused', fault: 'disk_error' };
    case 'internal-error':
    case 'guest-panicked':
      return { power: 'stopped', fault: 'crashed' };
    case 'paused':
      return { power: 'paused', fault: null };
    default:
      return { power: 'running', fault: null };
  }
}
