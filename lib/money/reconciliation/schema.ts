import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';
import { metricNames } from '@/lib/money/metering/metrics';

export const differenceKinds = ['usage', 'count', 'spend', 'future', 'invoice', 'missing', 'amount', 'credit'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

const difference = z.strictObject({
  kind: z.enum(differenceKinds).meta({
    description:
      '`usage`: billed usage against resource history · `count`: counts against events · `spend`: live spend against its ' +
      'usage · `future`: an accrual is dated after this moment, `billed` says by how many seconds · `invoice`: quantities of ' +
      'an invoice against usage · `missing`: a month with usage and no invoice · `amount`: an amount of an invoice against its ' +
      'quantity and price, or against the sum of its lines · `credit`: the balance of prepaid credit against its entries.',
  }),
  tenant_id: id,
  resource: z.strictObject({ type: z.string(), id, name: z.string().nullable() }).nullable(),
  month: z.string().nullable().meta({ description: 'The month (UTC) of an invoice.', example: '2026-02' }),
  metric: z.enum(metricNames).nullable(),
  expected: z.number().meta({ description: 'Expected amount, in `unit`.' }),
  billed: z.number(),
  unit: z.enum(['quantity_hours', 'count', 'usd', 'seconds']),
});

const facts = {
  id,
  period_from: timestamp,
  period_to: timestamp,
  resources: z.int().meta({ description: 'Number of comparisons.' }),
  differing: z.int().meta({ description: 'Number of differences.' }),
  created_at: timestamp,
};

export const reconciliation = z.strictObject(facts).meta({ id: 'Reconciliation' });
export type Reconciliation = z.output<typeof reconciliation>;

export const reconciliationReport = z
  .strictObject({
    ...facts,
    differences: z.array(difference).meta({ description: 'The first 100 differences.' }),
  })
  .meta({ id: 'ReconciliationReport' });
export type ReconciliationReport = z.output<typeof reconciliationReport>;

export const reconcile = z
  .strictObject({
    from: timestamp.optional().meta({ description: 'Defaults to the start of the month of three days ago.' }),
    to: timestamp.optional().meta({ description: 'Defaults to now.' }),
  })
  .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' })
  .meta({ id: 'Reconcile', example: { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' } });
export type Reconcile = z.output<typeof reconcile>;

export const reconciliationQuery = listQuery({
  differing: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only reconciliations with, or without, differences.' }),
});
