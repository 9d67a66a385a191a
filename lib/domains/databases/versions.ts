import { now } from '@/lib/clock';
import { type DatabaseEngine, databaseEngines, whyNoUpgrades } from './engines';
import type { EngineVersion, UpgradeCandidate } from './schema';

export type CertifiedVersion = {
  engine: DatabaseEngine;
  version: string;
  /** When its project ends its support; null where it names no date. */
  end_of_life: string | null;
  isDefault: boolean;
  upgrades_to: readonly string[];
  /** In the catalogue of programs; null where this platform has none for it yet. */
  program: { name: string; version: string } | null;
};

const postgres: readonly CertifiedVersion[] = [
  ['14', '2026-11-12'],
  ['15', '2027-11-11'],
  ['16', '2028-11-09'],
  ['17', '2029-11-08'],
  ['18', '2030-11-14'],
].map(([version = '', end_of_life = ''], index, all) => ({
  engine: 'postgres',
  version,
  end_of_life,
  isDefault: index === all.length - 1,
  upgrades_to: all.slice(index + 1).map(([other = '']) => other),
  program: { name: 'postgres', version },
}));

const others = (engine: DatabaseEngine, versions: readonly string[]): CertifiedVersion[] =>
  versions.map((version, index) => ({
    engine,
    version,
    end_of_life: null,
    isDefault: index === versions.length - 1,
    upgrades_to: versions.slice(index + 1),
    program: null,
  }));

/** Series of MariaDB that are supported for long. */
const mysql: readonly CertifiedVersion[] = [
  ['10.11', '2028-02-16'],
  ['11.8', '2028-06-04'],
].map(([version = '', end_of_life = ''], index, all) => ({
  engine: 'mysql',
  version,
  end_of_life,
  isDefault: index === all.length - 1,
  upgrades_to: all.slice(index + 1).map(([other = '']) => other),
  program: { name: 'mariadb', version },
}));

/** The versions that are certified for new clusters and as targets of upgrades, oldest first. */
export const certifiedVersions: readonly CertifiedVersion[] = [
  ...postgres,
  ...mysql,
  ...others('valkey', ['8.0', '8.1', '9.1']).map((one) => ({
    ...one,
    program: { name: 'valkey', version: one.version },
  })),
  ...others('mongodb', ['0.7']).map((one) => ({ ...one, program: { name: 'mongodb', version: one.version } })),
  ...others('qdrant', ['0.8', '0.9']).map((one) => ({ ...one, program: { name: 'qdrant', version: one.version } })),
];

/** Why clusters of an engine can't be created on this installation, and what to do; null where they can. */
export function engineTrouble(engine: DatabaseEngine, version?: string): string | null {
  const ready = certifiedVersions.filter((one) => one.engine === engine && one.program !== null);
  if (ready.some((one) => version === undefined || one.version === version)) return null;
  if (ready.length > 0)
    return `This release has no program for ${engine} ${version}. Choose ${ready.map((one) => one.version).join(' or ')}.`;
  return `The engine ${engine} has no program in this release. Update the platform, or create a PostgreSQL cluster.`;
}

export const versionsOf = (engine: DatabaseEngine): readonly CertifiedVersion[] =>
  certifiedVersions.filter((one) => one.engine === engine);

export const findVersion = (engine: DatabaseEngine, version: string): CertifiedVersion | undefined =>
  certifiedVersions.find((one) => one.engine === engine && one.version === version);

export const defaultVersion = (engine: DatabaseEngine): CertifiedVersion | undefined =>
  versionsOf(engine).find(({ isDefault }) => isDefault);

/** The newest version that a cluster can be upgraded to; null if it has the newest. */
export const newestUpgrade = (engine: DatabaseEngine, version: string): string | null =>
  findVersion(engine, version)?.upgrades_to.at(-1) ?? null;

const SOON_MS = 180 * 24 * 60 * 60_000;

/** Supported, within half a year of its end, or beyond. */
export function supportOf({ end_of_life }: CertifiedVersion, at: Date = now()): EngineVersion['status'] {
  if (end_of_life === null) return 'certified';
  const left = Date.parse(end_of_life) - at.getTime();
  return left <= 0 ? 'end_of_life' : left < SOON_MS ? 'deprecated' : 'certified';
}

type ProgramState = { name: string; version: string; status: string; message: string | null };

/** The catalogue, with the state of each program on a host. @param programs of the host; empty where it is not known */
export function catalogue(programs: readonly ProgramState[], engine?: DatabaseEngine): EngineVersion[] {
  const engines = engine ? [engine] : databaseEngines;
  return engines.flatMap(versionsOf).map((one) => ({
    engine: one.engine,
    version: one.version,
    status: supportOf(one),
    default: one.isDefault,
    end_of_life_at: one.end_of_life === null ? null : new Date(one.end_of_life).toISOString(),
    upgrades_to: [...one.upgrades_to],
    upgrades_hint: whyNoUpgrades(one.engine),
    program: programOf(one, programs),
  }));
}

function programOf({ engine, version, program }: CertifiedVersion, programs: readonly ProgramState[]) {
  const name = `${engine}-${version}`;
  if (program === null) return { name, state: 'unavailable' as const, hint: engineTrouble(engine, version) };
  const found = programs.find((one) => one.name === program.name && one.version === program.version);
  if (found?.status === 'ready') return { name, state: 'ready' as const, hint: null };
  if (found?.status === 'unavailable') return { name, state: 'unavailable' as const, hint: found.message };
  return { name, state: 'available' as const, hint: null };
}

/** Where a cluster can go from its version. */
export function upgradeCandidates(engine: DatabaseEngine, version: string): UpgradeCandidate[] {
  const targets = findVersion(engine, version)?.upgrades_to ?? [];
  return targets.map((target) => ({
    version: target,
    tier: engine === 'postgres' || target.split('.')[0] !== version.split('.')[0] ? 'major' : 'minor',
    ...upgradeMethods[engine],
    notes: notesOf(engine, target),
  }));
}

type Method = Pick<UpgradeCandidate, 'method' | 'expected_pause_ms' | 'rollback'>;

const byReplication: Method = {
  method: 'Logical replication to a new cluster, which takes over behind the same address',
  expected_pause_ms: 1000,
  rollback: {
    possible: true,
    until: '24 hours after the upgrade, or the first change of a table’s structure',
    loses: null,
  },
};
const byJoining: Method = {
  method: 'New members join the cluster, and take over behind the same address',
  expected_pause_ms: 1000,
  rollback: { possible: true, until: '24 hours after the upgrade', loses: null },
};
const byFollowing: Method = {
  method: 'New members follow the primary as standbys do, and take over behind the same address',
  expected_pause_ms: 300,
  rollback: {
    possible: true,
    until: '24 hours after the upgrade, or the first command that the former version does not know',
    loses: null,
  },
};
const byCopying: Method = {
  method: 'A new member copies everything, follows, and takes over behind the same address',
  expected_pause_ms: 1000,
  rollback: {
    possible: true,
    until: '24 hours after the upgrade, or the first setting that the former version does not know',
    loses: null,
  },
};
const none: Method = {
  method: 'None: this release has one version',
  expected_pause_ms: 0,
  rollback: { possible: false, until: null, loses: null },
};

/** How clusters of each engine are upgraded. */
export const upgradeMethods: Record<DatabaseEngine, Method> = {
  postgres: byReplication,
  mysql: byJoining,
  valkey: byFollowing,
  mongodb: none,
  qdrant: byCopying,
};

function notesOf(engine: DatabaseEngine, target: string): string[] {
  const found = findVersion(engine, target);
  const support =
    found && supportOf(found) !== 'certified' ? [`Support of ${target} ends on ${found.end_of_life}.`] : [];
  const tables = engine === 'postgres' ? ['Tables need a primary key or a replica identity.'] : [];
  return [...tables, ...support];
}
