import type { Sql } from '@/lib/core/db/sql';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import type { None } from './portal';

/** Queries over a domain's tables whose results must match the platform's own records. */
export type DomainChecks = {
  /** When its resources are billed, for reconciliation. */
  readonly billing: readonly BillingRule[] | None;
  /** The quota held by its resources: `SELECT project_id, id, dimension, amount`. */
  readonly quota: Sql | None;
  /** Its resources that are devices: `SELECT id, kind`. */
  readonly devices: Sql | None;
};
