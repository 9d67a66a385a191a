import type { AnyEndpoint } from '@/lib/core/api/endpoint';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import type { Sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import type { OperationSteps } from '@/lib/core/operations/steps';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import type { DomainChecks } from './checks';
import { type DomainPortal, type None, none } from './portal';
import type { ResourceSearch } from './search';
import type { Watch } from './watch';

export { none } from './portal';

/** A kind of thing that tenants create. */
export type DomainResource = {
  /** Its table in the database. */
  readonly table: string;
  /** Every status it can have. */
  readonly statuses: readonly string[] | None;
  /** The metrics that its rows are billed by (docs/decisions/0022-metering-by-triggers.md). */
  readonly metering: readonly string[] | None;
  /** How people find it by `GET /search`. */
  readonly search: ResourceSearch | None;
};

/** What only workers load, because it brings the engines with it. */
export type DomainWork = {
  /** The steps of each kind of operation. */
  readonly steps: readonly OperationSteps[] | None;
  /** Recurring tasks, purges included; one worker at a time runs each. */
  readonly jobs: readonly PeriodicJob[] | None;
  /** What the domain needs running in a cell. */
  readonly services: ServiceSource | None;
  /** The room that its resources should hold in cells: `SELECT cell_id, device_id, kind, amount`, one row for each kind. */
  readonly room: Sql | None;
  /** What the agent of a cell looks after, and takes down when the platform stops. */
  readonly watch: ((cell: string) => Watch) | None;
};

/**
 * A domain, whole: a subject of the platform such as block storage. `lib/platform/domains.ts` lists all of them, and
 * everything that must know every domain reads that list (docs/adding-a-domain.md).
 */
export type Domain = {
  /** Its folder in `lib/domains`. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  /** The groups of its endpoints in the API reference, each described in a sentence. */
  readonly tags: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, DomainResource>>;
  /** Its other tables. */
  readonly tables: readonly string[] | None;
  /** Tables of other domains whose rows cannot go while rows of this domain refer to them. */
  readonly dependsOn: readonly string[] | None;
  readonly portal: DomainPortal;
  /** Columns that hold sealed values: a key rotation encrypts them again. */
  readonly sealed: readonly SealedColumn[] | None;
  /** `none` where its resources cost nothing, hold no quota and are no devices. */
  readonly checks: DomainChecks | None;
  readonly work: (() => Promise<DomainWork>) | None;
  /** Programs of the catalogue that its services run. */
  readonly programs: readonly string[] | None;
  /** Folders below `DATA_DIR` that hold what the database does not: a backup needs them too. */
  readonly state: readonly string[] | None;
  /** What writes lines for the log store, and the labels of those lines. */
  readonly logs: Readonly<Record<string, readonly string[]>> | None;
  /** What is sampled, and the labels of those samples. */
  readonly metrics: Readonly<Record<string, readonly string[]>> | None;
};

/** Declares a domain: `domain.ts` of its folder. */
export function domain<const D extends Domain>(value: D): D {
  return value;
}

/** The values of a part that a domain may have none of. */
export function each<T>(part: readonly T[] | None): readonly T[] {
  return part === none ? [] : part;
}
