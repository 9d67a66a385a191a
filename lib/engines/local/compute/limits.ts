import type { LimitReport } from '../../status';
import { sandboxTrouble } from '../confinement';
import { groupsOf, type Host } from '../host';

/** What holds the machines of this host to each limit, found by trying. A machine runs with weaker limits too. */
export async function machineLimits(host: Host): Promise<LimitReport[]> {
  const held = await groupsOf(host).held();
  const trouble = await sandboxTrouble(host);
  const isRoot = host.isolation === 'root';
  const kept = (limit: LimitReport['limit'], isEnforced: boolean, how: string, otherwise = ''): LimitReport =>
    isEnforced ? { limit, level: 'enforced', how } : { limit, level: 'weaker', how: otherwise };
  return [
    kept('user_id', isRoot, 'One user ID for each machine.', 'Machines run as the platform’s user.'),
    kept(
      'namespaces',
      trouble === null,
      'Own mount and process namespaces, and no capabilities.',
      `None: ${trouble?.slice(-300)}.`,
    ),
    kept('system_calls', true, 'Seccomp filter of QEMU.'),
    kept('network', true, 'Network namespace of its router.'),
    kept('memory', held.includes('memory'), 'cgroup.', 'Memory of the guest only; QEMU itself is not limited.'),
    kept('cpu', held.includes('cpu'), 'Share by number of vCPUs (cgroup).', 'Shared evenly between machines.'),
    kept('processes', held.includes('pids'), 'cgroup.', 'Number of threads is not limited.'),
    kept('disk_bandwidth', false, '', 'Shared, without a limit.'),
  ];
}
