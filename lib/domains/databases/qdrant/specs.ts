import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { CHECK_LIMITS, type CheckedBackup } from '../backups/engine';
import { CHECKED } from '../backups/framed';
import type { Cluster, Member } from '../cluster/clusters';
import { certificateOf, portOf } from '../cluster/specs';
import { enginePorts } from '../ports';
import { openSecrets } from '../secrets';
import { boxProgram } from '../single/box';
import { SOCKET } from '../single/socket';
import { leaderOf } from './leader';

/** The program of a member, with its paths. */
const program = boxProgram(join(dirname(fileURLToPath(import.meta.url)), 'box'));

const FREE_SHARE = 0.04;
const LEAST_FREE_MB = 64;
/** Of the disk, what a member's writes leave free. */
export const keptFreeMb = ({ storage_gb }: Pick<Cluster, 'storage_gb'>): number =>
  Math.max(LEAST_FREE_MB, Math.ceil(storage_gb * 1024 * FREE_SHARE));

const ARGUMENTS = ['/usr/bin/python3', '-I', '-S', '/etc/service/server.py', String(enginePorts.qdrant.serving)];

/** A connection has a thread, and the core has its own. */
const MOST_THREADS = 1_000;

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const certificate = await certificateOf(cluster);
  const { verifier, replication } = openSecrets(cluster.id, cluster.sealed_secrets);
  const begins = { key: replication, follows: leaderOf(cluster, member)?.ip ?? null };
  const memoryMb = Math.ceil(cluster.ram_gb * 1024);
  return {
    id: member.id,
    program: { name: 'qdrant', version: member.version },
    argv: ARGUMENTS,
    environment: {
      INCARNATION: String(member.incarnation),
      // Another program starts the member anew; keys and certificates are read while it runs.
      PROGRAM: program.digest,
      // Only until the data are there: then the member is as any other.
      ...(cluster.recovery !== null && { RESTORE: 'restore' }),
      MEMORY_MB: String(memoryMb),
      SEARCH_THREADS: String(cluster.vcpus),
      KEEP_FREE_MB: String(keptFreeMb(cluster)),
    },
    files: [
      ...program.files,
      { path: 'api-key', content: `${verifier}\n`, secret: true },
      { path: 'tls/cert.pem', content: certificate.certificate, secret: false },
      { path: 'tls/key.pem', content: certificate.key, secret: true },
      { path: 'tls/ca.pem', content: certificate.authorities, secret: false },
      // Its role at start. A running member is told of changes directly.
      { path: 'role.json', content: JSON.stringify(begins), secret: true, live: true },
    ],
    state: { sizeMb: cluster.storage_gb * 1024 },
    port: portOf(cluster, member),
    limits: { cpuMillis: cluster.vcpus * 1000, memoryMb, processes: MOST_THREADS, openFiles: 16_384 },
    health: { kind: 'socket', path: SOCKET },
    restart: 'always',
    reload: { kind: 'signal', signal: 'SIGHUP' },
    power: 'running',
    stopSeconds: 8,
  };
}

/** The process that restores a backup as a check. It has the backup's id. */
export const checkSpec = ({ id, version, storage_gb, ram_gb }: CheckedBackup): ServiceSpec => ({
  id,
  program: { name: 'qdrant', version },
  argv: ARGUMENTS,
  environment: { INCARNATION: '1', PROGRAM: program.digest, RESTORE: 'check' },
  files: [...program.files],
  state: { sizeMb: storage_gb * 1024 },
  port: null,
  limits: { ...CHECK_LIMITS, memoryMb: Math.ceil(ram_gb * 1024) },
  health: { kind: 'socket', path: CHECKED },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  stopSeconds: 2,
});
