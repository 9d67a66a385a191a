import type { Sql } from '@/lib/core/db/sql';
import type { DomainChecks } from '@/lib/core/domains/checks';
import { type Domain, each, none } from '@/lib/core/domains/domain';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import { domains } from './domains';

const checksOf = (of: readonly Domain[]): DomainChecks[] =>
  of.flatMap(({ checks }) => (checks === none ? [] : [checks]));

/** The billing rules of these domains. */
export const billingRulesOf = (of: readonly Domain[]): readonly BillingRule[] =>
  checksOf(of).flatMap(({ billing }) => each(billing));

/** The quota held by resources of these domains: `project_id, id, dimension, amount`. */
export const quotaHoldersOf = (of: readonly Domain[]): readonly Sql[] =>
  checksOf(of).flatMap(({ quota }) => (quota === none ? [] : [quota]));

/** The resources of these domains that are devices: `id, kind`. */
export const deviceHoldersOf = (of: readonly Domain[]): readonly Sql[] =>
  checksOf(of).flatMap(({ devices }) => (devices === none ? [] : [devices]));

export const billingRules = billingRulesOf(domains);
