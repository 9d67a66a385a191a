import { postgresPrograms } from './postgres';
import type { Program } from './program';

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
];

export function findProgram(
  name: string,
  version: string,
  programs: readonly Program[] = PROGRAMS,
): Program | undefined {
  return programs.find((program) => program.name === name && program.version === version);
}
