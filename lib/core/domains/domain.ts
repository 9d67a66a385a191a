import type { AnyEndpoint } from '@/lib/core/api/endpoint';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import type { Sql } from '@/lib/core/db/sql';
import type { KindMetrics } from '@/lib/core/devices/metric';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import type { OperationSteps } from '@/lib/core/operations/steps';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import type { CatalogService } from './catalog';
import type { DomainChecks } from './checks';
import type { LogSource } from './logs';
import { type DomainPortal, type None, none } from './portal';
import type { ResourceSearch } from './search';
import type { Watch } from './watch';

export { none } from './portal';

/** A resource type of a domain. */
export type DomainResource = {
  /** Database table. */
  readonly table: string;
  /** All possible statuses. */
  readonly statuses: readonly string[] | None;
  /** Metrics that its rows are billed by (docs/decisions/0022-metering-by-triggers.md). */
  readonly metering: readonly string[] | None;
  /** How search and inventory find it. Only types with it can have tags. */
  readonly search: ResourceSearch | None;
};

/** The part that only workers load, because it imports the engines. */
export type DomainWork = {
  /** Steps of each operation kind. */
  readonly steps: readonly OperationSteps[] | None;
  /** Recurring jobs, including purges. One worker at a time runs a job. */
  readonly jobs: readonly PeriodicJob[] | None;
  /** Service processes that should run in a cell. */
  readonly services: ServiceSource | None;
  /** Capacity that its resources reserve in cells: `SELECT cell_id, device_id, kind, amount`, one row for each kind. */
  readonly room: Sql | None;
  /** Checks that a cell's agent runs, and shutdown steps when the platform stops. */
  readonly watch: ((cell: string) => Watch) | None;
};

/**
 * A service of the platform, such as block storage. `lib/platform/domains.ts` lists all domains; code that needs every
 * domain reads that list (docs/adding-a-domain.md).
 */
export type Domain = {
  /** The name of its folder in `lib/domains`. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  /** Tags of its endpoints in the API reference, each with a one-sentence description. */
  readonly tags: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, DomainResource>>;
  /** The services that the catalog offers. Every resource type belongs to one of them. */
  readonly services: readonly CatalogService[];
  /** Other tables of the domain. */
  readonly tables: readonly string[] | None;
  /** Tables of other domains whose rows can't be deleted while rows of this domain refer to them. */
  readonly dependsOn: readonly string[] | None;
  readonly portal: DomainPortal;
  /** Columns with sealed values, which a key rotation encrypts again. */
  readonly sealed: readonly SealedColumn[] | None;
  /** `none` for domains whose resources cost nothing, use no quota and are not devices. */
  readonly checks: DomainChecks | None;
  readonly work: (() => Promise<DomainWork>) | None;
  /** Programs of the catalog that its services run. */
  readonly programs: readonly string[] | None;
  /** Folders below `DATA_DIR` with state that is not in the database. Backups include them. */
  readonly state: readonly string[] | None;
  /** What writes lines for the log store. */
  readonly logs: readonly LogSource[] | None;
  /** The metrics of each kind of device that is sampled. */
  readonly metrics: Readonly<Record<string, KindMetrics>> | None;
};

/** Declares a domain; called in the `domain.ts` of its folder. */
export function domain<const D extends Domain>(value: D): D {
  return value;
}

/** The values of an optional part; empty for `none`. */
export function each<T>(part: readonly T[] | None): readonly T[] {
  return part === none ? [] : part;
}
