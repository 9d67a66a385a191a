import { VALKEY_COMMAND } from '@/lib/engines/local/catalogue/valkey';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { type Cluster, type Member, primaryOf, servingMembers } from '../cluster/clusters';
import { portOf } from '../cluster/specs';
import { openSecrets } from '../secrets';
import { renderRole, renderSettings, renderUsers, SOCKET } from './settings-file';

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const secrets = openSecrets(cluster.id, cluster.sealed_secrets);
  const primary = primaryOf(servingMembers(cluster));
  const follows = member.role === 'standby' && primary ? primary.ip : null;
  return {
    id: member.id,
    program: { name: 'valkey', version: member.version },
    argv: [...VALKEY_COMMAND, '/etc/service/valkey.conf'],
    environment: { INCARNATION: String(member.incarnation) },
    files: [
      { path: 'valkey.conf', content: renderSettings(cluster), secret: false },
      // The agent brings both into the running server.
      { path: 'role.conf', content: renderRole(follows, cluster.read_only, secrets), secret: true, live: true },
      { path: 'users.acl', content: renderUsers(cluster.username, secrets), secret: true, live: true },
    ],
    state: { sizeMb: cluster.storage_gb * 1024 },
    port: portOf(cluster, member),
    limits: {
      cpuMillis: cluster.vcpus * 1000,
      memoryMb: Math.ceil(cluster.ram_gb * 1024),
      processes: 32,
      openFiles: 8192,
    },
    health: { kind: 'socket', path: SOCKET },
    restart: 'always',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 8,
  };
}
