import type { Sql } from '@/lib/core/db/sql';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import type { None } from './portal';

/** What must agree with what the platform has written down of a domain's resources, read from its own tables. */
export type DomainChecks = {
  /** When its resources are billed, for reconciliation. */
  readonly billing: readonly BillingRule[] | None;
  /** What its resources hold of the quota: `SELECT project_id, id, dimension, amount`. */
  readonly quota: Sql | None;
  /** Its resources that are devices: `SELECT id, kind`. */
  readonly devices: Sql | None;
};
