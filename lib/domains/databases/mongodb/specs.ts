import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { CHECK_LIMITS, type CheckedBackup } from '../backups/engine';
import { CHECKED } from '../backups/framed';
import type { Cluster, Member } from '../cluster/clusters';
import { certificateOf, portOf } from '../cluster/specs';
import { enginePorts } from '../ports';
import { boxProgram } from '../single/box';
import { SOCKET } from '../single/socket';
import { renderUsers } from './users';

/** The gate of a member, with its paths. The server behind it is a program of its own. */
const program = boxProgram(join(dirname(fileURLToPath(import.meta.url)), 'box'));

const FREE_SHARE = 0.05;
const LEAST_FREE_MB = 96;
/** Of the disk, what clients leave free: the server writes a log and checkpoints without being asked. */
export const keptFreeMb = ({ storage_gb }: Pick<Cluster, 'storage_gb'>): number =>
  Math.max(LEAST_FREE_MB, Math.ceil(storage_gb * 1024 * FREE_SHARE));

const ARGUMENTS = ['/usr/bin/python3.11', '-I', '-S', '/etc/service/server.py', String(enginePorts.mongodb.serving)];
/** A connection has a thread of the server's. */
const MOST_THREADS = 1_000;

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const certificate = await certificateOf(cluster);
  const memoryMb = Math.ceil(cluster.ram_gb * 1024);
  return {
    id: member.id,
    program: { name: 'mongodb', version: member.version },
    argv: ARGUMENTS,
    environment: {
      INCARNATION: String(member.incarnation),
      // Another program starts the member anew; accounts and certificates are read while it runs.
      PROGRAM: program.digest,
      // Only until the data are there: then the member is as any other.
      ...(cluster.recovery !== null && { RESTORE: 'restore' }),
      // Where drivers are sent that ask for the members of the replica set.
      ADVERTISED: `${cluster.address}:${enginePorts.mongodb.serving}`,
      MEMORY_MB: String(memoryMb),
      KEEP_FREE_MB: String(keptFreeMb(cluster)),
    },
    files: [
      ...program.files,
      { path: 'users.json', content: renderUsers(cluster), secret: true },
      { path: 'tls/cert.pem', content: certificate.certificate, secret: false },
      { path: 'tls/key.pem', content: certificate.key, secret: true },
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
export const checkSpec = ({ id, version, storage_gb, ram_gb }: CheckedBackup): ServiceSpec => {
  const memoryMb = Math.ceil(ram_gb * 1024);
  return {
    id,
    program: { name: 'mongodb', version },
    argv: ARGUMENTS,
    environment: { INCARNATION: '1', PROGRAM: program.digest, RESTORE: 'check', MEMORY_MB: String(memoryMb) },
    files: [...program.files],
    state: { sizeMb: storage_gb * 1024 },
    port: null,
    limits: { ...CHECK_LIMITS, memoryMb },
    health: { kind: 'socket', path: CHECKED },
    restart: 'always',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 2,
  };
};
