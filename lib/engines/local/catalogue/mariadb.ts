import type { Program } from './program';

/** Python, for a member's first process: it supervises the server and copies data from member to member. */
const python = ['usr/bin/python3', ...[9, 10, 11, 12, 13, 14].map((minor) => `usr/bin/python3.${minor}`)];
/** For the tables of the server's own after an upgrade, and for backups. */
const tools = [
  'usr/bin/mariadb',
  'usr/bin/mariadb-check',
  'usr/bin/mariadb-upgrade',
  'usr/bin/mariadb-backup',
  'usr/bin/mbstream',
];
const packages = ['mariadb-server-core', 'mariadb-client-core', 'mariadb-backup', 'galera-4', 'python3-minimal'];
const shared = { name: 'mariadb', licence: 'GPL-2.0-only AND PSF-2.0' };
/** What a service brings along; nothing else is a shell. */
const gate = '/etc/service/sh';

/** MariaDB with Galera, by its series. */
export const mariadbPrograms: readonly Program[] = [
  {
    ...shared,
    version: '10.11',
    sources: [{ kind: 'debian', suite: 'bookworm', packages }],
    keep: ['usr/sbin/mariadbd', 'usr/share/mysql/', ...tools, ...python],
    links: { 'bin/sh': gate },
  },
  {
    ...shared,
    version: '11.8',
    sources: [{ kind: 'debian', suite: 'trixie', packages }],
    keep: ['usr/sbin/mariadbd', 'usr/share/mariadb/', ...tools, ...python],
    // Its packages leave these two to Debian's base files.
    links: { lib: 'usr/lib', lib64: 'usr/lib64', 'bin/sh': gate },
  },
];
