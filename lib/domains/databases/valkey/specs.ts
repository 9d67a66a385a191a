import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VALKEY_RESTORE, valkeyCommand } from '@/lib/engines/local/catalogue/valkey';
import type { ServiceFile, ServiceSpec } from '@/lib/hosts/services/engine';
import { CHECK_LIMITS, type CheckedBackup } from '../backups/engine';
import { CHECKED, framesFile } from '../backups/framed';
import type { Cluster, Member } from '../cluster/clusters';
import { portOf } from '../cluster/specs';
import { openSecrets } from '../secrets';
import { leaderOf } from './leader';
import { renderCheck, renderRole, renderSettings, renderUsers, SOCKET } from './settings-file';

const HERE = dirname(fileURLToPath(import.meta.url));
/** What takes the data of a backup before the server runs. */
const restoreFiles: readonly ServiceFile[] = [
  { path: 'restore.py', content: readFileSync(join(HERE, 'box/restore.py'), 'utf8'), secret: false },
  framesFile,
];
const restoreCommand = (purpose: 'restore' | 'check', version: string) => [
  '/usr/bin/python3',
  '-I',
  '-S',
  '/etc/service/restore.py',
  purpose,
  ...valkeyCommand(version),
];

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const secrets = openSecrets(cluster.id, cluster.sealed_secrets);
  // Only until the data are there: then the member is as any other.
  const isRestored = member.role === 'primary' && cluster.recovery !== null;
  const follows = leaderOf(cluster, member)?.ip ?? null;
  return {
    id: member.id,
    program: { name: isRestored ? VALKEY_RESTORE : 'valkey', version: member.version },
    argv: isRestored
      ? restoreCommand('restore', member.version)
      : [...valkeyCommand(member.version), '/etc/service/valkey.conf'],
    environment: { INCARNATION: String(member.incarnation), ...(isRestored && { PYTHONDONTWRITEBYTECODE: '1' }) },
    files: [
      ...(isRestored ? restoreFiles : []),
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

/** The program that takes the data of a backup, beside the server. */
const CHECK_OWN_MB = 48;

/** The server that restores a backup as a check. It has the backup's id. */
export const checkSpec = ({ id, version, storage_gb, ram_gb }: CheckedBackup): ServiceSpec => ({
  id,
  program: { name: VALKEY_RESTORE, version },
  argv: restoreCommand('check', version),
  environment: { INCARNATION: '1', PYTHONDONTWRITEBYTECODE: '1' },
  files: [...restoreFiles, { path: 'valkey.conf', content: renderCheck(), secret: false }],
  state: { sizeMb: storage_gb * 1024 },
  port: null,
  limits: { ...CHECK_LIMITS, memoryMb: Math.ceil(ram_gb * 1024) + CHECK_OWN_MB },
  health: { kind: 'socket', path: CHECKED },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  stopSeconds: 2,
});
