import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineStatus, MissingProgram } from '../status';
import type { Isolation } from './host';

/** Administrators' programs live in sbin, which is not on an ordinary user's path. */
export const PROGRAM_PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`;

/** Debian's own, whatever else is on the path. */
export const PYTHON = '/usr/bin/python3';

export const hasPython = () => existsSync(PYTHON);

type EngineName = EngineStatus['engine'];
type Program = { program: string; package: string; engines: EngineName[]; only?: Isolation };

/** Every program that the local engine starts, and the Debian package that has it. */
export const PROGRAMS: readonly Program[] = [
  { program: 'qemu-system-x86_64', package: 'qemu-system-x86', engines: ['compute'] },
  { program: 'qemu-img', package: 'qemu-utils', engines: ['compute', 'storage', 'images'] },
  { program: 'mformat', package: 'mtools', engines: ['compute', 'images'] },
  { program: 'mcopy', package: 'mtools', engines: ['compute', 'images'] },
  { program: 'setpriv', package: 'util-linux', engines: ['compute'] },
  { program: 'fallocate', package: 'util-linux', engines: ['compute'] },
  { program: 'mount', package: 'mount', engines: ['compute'] },
  { program: 'umount', package: 'mount', engines: ['compute'] },
  { program: 'pivot_root', package: 'util-linux', engines: ['compute'] },
  { program: 'prlimit', package: 'util-linux', engines: ['images', 'functions'] },
  { program: 'nsenter', package: 'util-linux', engines: ['compute', 'network'] },
  { program: 'unshare', package: 'util-linux', engines: ['compute', 'network', 'services'] },
  { program: 'ip', package: 'iproute2', engines: ['network'] },
  { program: 'nft', package: 'nftables', engines: ['network'] },
  { program: 'dnsmasq', package: 'dnsmasq-base', engines: ['network'] },
  { program: 'arping', package: 'iputils-arping', engines: ['network'] },
  { program: 'conntrack', package: 'conntrack', engines: ['network'] },
  { program: 'runc', package: 'runc', engines: ['services'], only: 'root' },
  { program: 'bwrap', package: 'bubblewrap', engines: ['services'], only: 'user' },
  { program: 'bwrap', package: 'bubblewrap', engines: ['functions'] },
  { program: 'tini-static', package: 'tini', engines: ['services'] },
  { program: 'python3', package: 'python3-minimal', engines: ['services', 'functions'] },
  { program: 'mkfs.ext4', package: 'e2fsprogs', engines: ['services'], only: 'root' },
  { program: 'losetup', package: 'mount', engines: ['services'], only: 'root' },
  { program: 'slirp4netns', package: 'slirp4netns', engines: ['network'], only: 'user' },
];

/** Only the tiny image's builder needs these; without them the other images still work. */
export const TINY_PROGRAMS: readonly { program: string; package: string }[] = [
  { program: 'apt-get', package: 'apt' },
  { program: 'apt-cache', package: 'apt' },
  { program: 'dpkg-deb', package: 'dpkg' },
  { program: 'sfdisk', package: 'fdisk' },
  { program: 'mkfs.ext4', package: 'e2fsprogs' },
  { program: 'syslinux', package: 'syslinux' },
  { program: 'xz', package: 'xz-utils' },
];

/** What to do about missing programs. */
export function installHint(missing: readonly MissingProgram[]): string {
  const packages = [...new Set(missing.map((entry) => entry.package))].join(' ');
  return `Missing: ${missing.map(({ program }) => program).join(', ')}. Run: apt install ${packages}`;
}

/** The Debian package that has a program, when it is one of ours. */
export function packageOf(program: string): string | undefined {
  return [...PROGRAMS, ...TINY_PROGRAMS].find((known) => known.program === program)?.package;
}

/** Programs that the local engine starts as root, or as an ordinary user. */
export const programsFor = (isolation: Isolation) =>
  PROGRAMS.filter(({ only }) => only === undefined || only === isolation);

/** Programs that one engine needs and that are not on this host. */
export function missingPrograms(engine: EngineName, isolation: Isolation): MissingProgram[] {
  return missingOf(programsFor(isolation).filter((known) => known.engines.includes(engine)));
}

export function missingOf(programs: readonly MissingProgram[]): MissingProgram[] {
  return programs
    .filter((known) => !isInstalled(known.program))
    .map((known) => ({ program: known.program, package: known.package }));
}

function isInstalled(program: string): boolean {
  return PROGRAM_PATH.split(':').some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
