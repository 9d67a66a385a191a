import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { detailOf } from '../../error';
import { type LimitName, type LimitReport, limitNames } from '../../status';
import { ownNamespaces, sandboxTrouble } from '../confinement';
import { run } from '../exec';
import { type Host, type Isolation, prepareHost } from '../host';
import type { LimitKind } from '../sandbox/groups';
import { countsProcessesByNamespace, serviceGroups } from './bundle';
import { runtimeCommand } from './sandbox';
import { seccompFilter } from './seccomp';
import { hasSharedMemory, SHARED_MEMORY } from './volatile';

type Kept = Omit<LimitReport, 'limit'>;

const enforced = (how: string): Kept => ({ level: 'enforced', how });
const weaker = (how: string): Kept => ({ level: 'weaker', how });
const refused = (how: string): Kept => ({ level: 'refused', how });

const always = (kept: Kept): Record<Isolation, Kept> => ({ root: kept, user: kept });

/** How each limit of a service is kept on a host that lacks nothing. The table in `docs/operators.md` has the same words. */
export const SERVICE_LIMITS: Record<LimitName, Record<Isolation, Kept>> = {
  user_id: {
    root: enforced('One user ID for each service.'),
    user: weaker('Services run as the platform’s user, and see another user ID.'),
  },
  namespaces: always(enforced('Own mount, process, IPC and host name namespaces, and no capabilities.')),
  system_calls: always(enforced('Seccomp filter.')),
  network: always(enforced('Own network namespace.')),
  memory: {
    root: enforced('cgroup.'),
    user: weaker('Measured twice a second. A service that exceeds its limit is stopped.'),
  },
  cpu: { root: enforced('cgroup.'), user: weaker('Shared, at a lower priority than the platform.') },
  processes: { root: enforced('cgroup.'), user: enforced('Resource limit of its user namespace.') },
  open_files: always(enforced('Resource limit of each process.')),
  secret_files: always(enforced('In memory only.')),
  folder_size: {
    root: enforced('File system of a fixed size.'),
    user: weaker(
      'Each file is limited. The folder is measured once a second; a service that exceeds its size is stopped until the folder grows.',
    ),
  },
  disk_bandwidth: {
    root: enforced('cgroup v2, for the state folder.'),
    user: weaker('Shared, without a limit.'),
  },
};

const DISK_V1 = 'cgroup v1, for the state folder: writes that the kernel delays may exceed the limit.';

type Exceptions = Partial<Record<LimitName, Kept>>;

/** What holds the services of this host to each limit, found by trying. */
export async function serviceLimits(host: Host): Promise<LimitReport[]> {
  await prepareHost(host);
  const exceptions = host.isolation === 'root' ? await rootExceptions(host) : await userExceptions(host);
  return limitNames.map((limit) => ({ limit, ...(exceptions[limit] ?? SERVICE_LIMITS[limit][host.isolation]) }));
}

/** Why this host can't run sandboxed services, with what to do about it; null where it can. */
export const serviceTrouble = async (host: Host) => troubleOf(await serviceLimits(host));

/** A service whose isolation can't be had is refused, not run. */
export function troubleOf(limits: readonly LimitReport[]): string | null {
  const reasons = limits.flatMap(({ level, how }) => (level === 'refused' ? [how] : []));
  return reasons.length > 0 ? [...new Set(reasons)].join(' ') : null;
}

const CONTROLLERS: readonly (readonly [LimitName, LimitKind])[] = [
  ['memory', 'memory'],
  ['cpu', 'cpu'],
  ['processes', 'pids'],
];

async function rootExceptions(host: Host): Promise<Exceptions> {
  const held = await serviceGroups(host).held();
  const groups = CONTROLLERS.flatMap(([limit, kind]) =>
    held.includes(kind) ? [] : [[limit, refused(`This host has no working cgroup controller for ${kind}.`)] as const],
  );
  const sandbox = await sandboxTrouble(host);
  const disk = await serviceGroups(host).diskVersion();
  return {
    ...Object.fromEntries(groups),
    ...(disk === 2 ? {} : { disk_bandwidth: weaker(disk === 1 ? DISK_V1 : 'Shared, without a limit.') }),
    ...(sandbox === null ? {} : { namespaces: refused(`This host cannot create sandboxes: ${sandbox}.`) }),
    ...((await can('/proc/sys/kernel/seccomp/actions_avail', constants.R_OK))
      ? {}
      : { system_calls: refused('The kernel of this host has no seccomp filters.') }),
    ...((await can('/dev/loop-control', constants.R_OK | constants.W_OK))
      ? {}
      : { folder_size: refused('This host has no loop devices for the folders of services. Run: modprobe loop') }),
  };
}

/** Tries a sandbox with everything that a service's has. */
async function userExceptions(host: Host): Promise<Exceptions> {
  const input = JSON.stringify(seccompFilter(host.isolation));
  const trouble = await run([...ownNamespaces, ...runtimeCommand(host), 'trial'], { input }).then(
    () => null,
    (error) => refused(`This user cannot create sandboxes on this host: ${detailOf(error)}`),
  );
  return {
    ...(trouble === null ? {} : { namespaces: trouble, system_calls: trouble, network: trouble }),
    ...(countsProcessesByNamespace() ? {} : { processes: weaker('Measured twice a second.') }),
    ...((await hasSharedMemory())
      ? {}
      : {
          secret_files: refused(`Secret files are kept in memory, and ${SHARED_MEMORY} is not a tmpfs on this host.`),
        }),
  };
}

const can = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );
