import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureCertificate } from '@/lib/hosts/certificates/certificates';
import type { ServiceFile, ServiceSpec } from '@/lib/hosts/services/engine';
import { CHECK_LIMITS, type CheckedBackup } from '../backups/engine';
import { framesFile } from '../backups/framed';
import { type Cluster, type Member, membersOf } from '../cluster/clusters';
import { portOf } from '../cluster/specs';
import { openSecrets } from '../secrets';
import { hostName } from '../service';
import { memberName } from '../view';
import { renderSettings, SERVER_SOCKET, SUPERUSER } from './settings-file';

const HERE = dirname(fileURLToPath(import.meta.url));
const MEMBER_PROGRAM = readFileSync(join(HERE, 'box/member.py'), 'utf8');
const program: readonly ServiceFile[] = [
  { path: 'member.py', content: MEMBER_PROGRAM, secret: false, live: true },
  framesFile,
];
const ARGUMENTS = ['/usr/bin/python3', '-I', '-S', '/etc/service/member.py'];
const COPY_PROGRAM = readFileSync(join(HERE, 'box/sh.py'), 'utf8');
/** A member's first process. */
const OWN_MEMORY_MB = 48;

/** For clients at every address of the cluster, and for members, which are clients of each other too. */
export const certificateOf = (cluster: Cluster) =>
  ensureCertificate({ id: cluster.id, kind: 'database_cluster', project_id: cluster.project_id }, 'server', {
    common_name: cluster.name,
    dns_names: [...['', '.internal'].map((end) => `${hostName(cluster)}${end}`), 'localhost'],
    addresses: [
      cluster.address,
      ...(cluster.floating_ip === null ? [] : [cluster.floating_ip]),
      ...cluster.members.map(({ ip }) => ip).toSorted(),
    ],
    usage: 'peer',
  });

/** What `member.py` is told. */
const renderMember = (told: Record<string, string>) =>
  Object.entries(told)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/**
 * The members that a member may copy its data from, by name: never the one that clients write to, unless there is no other. During
 * an upgrade, members copy from their own version, and only the new primary from the serving one: no server reads a newer format.
 */
function donorsOf(cluster: Cluster, member: Member): string {
  const isNew = member.group_no > cluster.serving_group;
  const hasOther = cluster.members.some(({ group_no }) => group_no !== cluster.serving_group);
  const group = isNew && member.role === 'primary' ? cluster.serving_group : member.group_no;
  const givers = membersOf(cluster, group).filter(({ id }) => id !== member.id);
  const standbys = givers.filter(({ role }) => role === 'standby');
  const primaries = givers.filter(({ role }) => role === 'primary');
  const chosen = !hasOther ? standbys : isNew && member.role === 'standby' ? primaries : [...standbys, ...primaries];
  const names = chosen.map(({ ordinal }) => memberName(cluster.name, ordinal)).join(',');
  // A comma at the end allows any other member too.
  return hasOther ? names || 'none' : `${names},`.replace(/^,$/, '');
}

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const certificate = await certificateOf(cluster);
  // Galera takes names of at most 32 letters.
  const group = cluster.id.replaceAll('-', '').slice(-24);
  const settings = renderSettings({
    ...cluster,
    cluster: group,
    name: memberName(cluster.name, member.ordinal),
    address: member.ip,
  });
  const isPrimary = member.role === 'primary' && member.group_no === cluster.serving_group;
  const isFirst = cluster.launched_at === null && isPrimary;
  const told = {
    members: cluster.members.map(({ ip }) => ip).join(','),
    address: member.ip,
    init: isFirst ? 'yes' : 'no',
    superuser: SUPERUSER,
    restore: isPrimary && cluster.recovery ? 'yes' : '',
    donors: donorsOf(cluster, member),
  };
  return {
    id: member.id,
    program: { name: 'mariadb', version: member.version },
    argv: ARGUMENTS,
    environment: {
      INCARNATION: String(member.incarnation),
      // The server reads its settings only when it starts.
      SETTINGS: createHash('sha256').update(settings).digest('hex').slice(0, 16),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    files: [
      ...program,
      { path: 'sh', content: COPY_PROGRAM, secret: false, executable: true, live: true },
      {
        path: 'member.conf',
        content: renderMember(told),
        secret: false,
        live: true,
      },
      { path: 'my.cnf', content: settings, secret: false },
      { path: 'superuser.password', content: openSecrets(cluster.id, cluster.sealed_secrets).superuser, secret: true },
      // Read when the server starts, and when the agent says so.
      { path: 'tls/cert.pem', content: certificate.certificate, secret: false, live: true },
      { path: 'tls/ca.pem', content: certificate.authorities, secret: false, live: true },
      { path: 'tls/key.pem', content: certificate.key, secret: true, live: true },
    ],
    state: { sizeMb: cluster.storage_gb * 1024 },
    port: portOf(cluster, member),
    limits: {
      cpuMillis: cluster.vcpus * 1000,
      memoryMb: Math.ceil(cluster.ram_gb * 1024) + OWN_MEMORY_MB,
      processes: 1200,
      openFiles: 16_384,
    },
    health: { kind: 'socket', path: SERVER_SOCKET },
    restart: 'always',
    reload: { kind: 'signal', signal: 'SIGHUP' },
    power: 'running',
    stopSeconds: 15,
  };
}

/** The server that restores a backup as a check. It has the backup's id. */
export const checkSpec = ({ id, version, storage_gb }: CheckedBackup): ServiceSpec => ({
  id,
  program: { name: 'mariadb', version },
  argv: ARGUMENTS,
  environment: { INCARNATION: '1', PYTHONDONTWRITEBYTECODE: '1' },
  files: [
    ...program,
    {
      path: 'member.conf',
      content: renderMember({
        members: '',
        address: '',
        init: 'no',
        superuser: SUPERUSER,
        donors: '',
        restore: 'check',
      }),
      secret: false,
      live: true,
    },
  ],
  state: { sizeMb: storage_gb * 1024 },
  port: null,
  limits: CHECK_LIMITS,
  health: { kind: 'socket', path: SERVER_SOCKET },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  stopSeconds: 2,
});
