import { createHash } from 'node:crypto';
import type { Parameters } from '../parameters';
import { enginePorts } from '../ports';
import type { ClusterSecrets } from '../secrets';

export const SOCKET = 'valkey.sock';
export const SUPERUSER = 'nephele';
export const REPLICA_USER = 'nephele_replication';
const FILES = '/etc/service';

/** What Valkey stores of a password. */
export const passwordHash = (password: string): string => createHash('sha256').update(password).digest('hex');

/** Share of a member's memory for data: the rest is for connections, and for the copy while the file is written anew. */
const DATA_SHARE = 0.7;

/** How often a primary shows its replicas that it is there. */
export const PING_SECONDS = 1;

/** `valkey.conf` of a member: a change of it needs a restart. What the tenant chose comes last. */
export function renderSettings({ ram_gb, parameters }: { ram_gb: number; parameters: Parameters }): string {
  const own: Record<string, string | number | boolean> = {
    bind: '0.0.0.0',
    port: enginePorts.valkey.serving,
    'protected-mode': 'no',
    unixsocket: `/run/service/${SOCKET}`,
    unixsocketperm: 700,
    'tcp-keepalive': 30,
    dir: '/state',
    logfile: '""',
    daemonize: 'no',
    // Not every program brings locales along.
    'locale-collate': 'C',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '""',
    'repl-diskless-sync': 'yes',
    'repl-diskless-sync-delay': 0,
    'repl-timeout': 5,
    'repl-ping-replica-period': PING_SECONDS,
    'repl-backlog-size': '16mb',
    'enable-debug-command': 'no',
    'enable-module-command': 'no',
    'enable-protected-configs': 'no',
    maxmemory: `${Math.floor(ram_gb * 1024 * DATA_SHARE)}mb`,
    maxclients: 1000,
    aclfile: `${FILES}/users.acl`,
  };
  const lines = Object.entries({ ...own, ...parameters }).map(([name, value]) => `${name} ${value}`);
  return `${[...lines, `include ${FILES}/role.conf`].join('\n')}\n`;
}

/** `valkey.conf` of a server that only loads a backup: nothing reaches it but its own sandbox. */
export const renderCheck = (): string =>
  [
    'port 0',
    `unixsocket /run/service/${SOCKET}`,
    'dir /state',
    'logfile ""',
    'locale-collate C',
    'appendonly yes',
    'save ""',
    '',
  ].join('\n');

/** A number of replicas that no cluster has: writes are refused while so many are asked for. */
export const NO_WRITES = 100;

/** `role.conf`: what the platform changes while a member runs, and where it begins after a restart. */
export const renderRole = (follows: string | null, isReadOnly: boolean, { replication }: ClusterSecrets): string =>
  `${[
    `primaryuser ${REPLICA_USER}`,
    `primaryauth ${replication}`,
    `min-replicas-to-write ${isReadOnly ? NO_WRITES : 0}`,
    ...(follows === null ? [] : [`replicaof ${follows} ${enginePorts.valkey.serving}`]),
  ].join('\n')}\n`;

/** Commands that would let a tenant out of its data: administration, other servers, files, native code. */
const REFUSED = ['-@admin', '-@dangerous'];
/** Of those, what clients need and what stays within the tenant's own keys. */
const ALLOWED = [
  '+flushall',
  '+flushdb',
  '+keys',
  '+info',
  '+sort',
  '+sort_ro',
  '+swapdb',
  '+role',
  '+slowlog|get',
  '+slowlog|len',
];

/** `users.acl`: nobody is let in without a password. */
export const renderUsers = (username: string, { superuser, replication, verifier }: ClusterSecrets): string =>
  `${[
    'user default off resetpass resetkeys resetchannels -@all',
    `user ${SUPERUSER} on #${passwordHash(superuser)} ~* &* +@all`,
    `user ${REPLICA_USER} on #${passwordHash(replication)} resetkeys resetchannels -@all +psync +replconf +ping`,
    `user ${username} on #${verifier} ~* &* +@all ${[...REFUSED, ...ALLOWED].join(' ')}`,
  ].join('\n')}\n`;
