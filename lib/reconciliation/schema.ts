import { z } from 'zod';
import { id, timestamp } from '@/lib/api/schemas';
import { metricNames } from '@/lib/metering/metrics';

const difference = z.strictObject({
  kind: z.enum(['usage', 'count', 'spend', 'invoice']).meta({
    description:
      '`usage`: billed against the resource’s history · `count`: counted against the events · `spend`: live spend against ' +
      'what is behind it · `invoice`: an invoice against what it was made of.',
  }),
  tenant_id: id,
  resource: z.strictObject({ type: z.string(), id, name: z.string().nullable() }).nullable(),
  metric: z.enum(metricNames),
  expected: z.number().meta({ description: 'What it should be, in `unit`.' }),
  billed: z.number(),
  unit: z.enum(['quantity_hours', 'count']),
});

const facts = {
  id,
  period_from: timestamp,
  period_to: timestamp,
  resources: z.int().meta({ description: 'How many were compared.' }),
  differing: z.int().meta({ description: 'How many differences there are.' }),
  created_at: timestamp,
};

export const reconciliation = z.strictObject(facts).meta({ id: 'Reconciliation' });
export type Reconciliation = z.output<typeof reconciliation>;

export const reconciliationReport = z
  .strictObject({
    ...facts,
    differences: z.array(difference).meta({ description: 'The first hundred.' }),
  })
  .meta({ id: 'ReconciliationReport' });
export type ReconciliationReport = z.output<typeof reconciliationReport>;

export const reconcile = z
  .strictObject({
    from: timestamp
      .optional()
      .meta({ description: 'Absent: the beginning of the month that was running three days ago.' }),
    to: timestamp.optional().meta({ description: 'Absent: now.' }),
  })
  .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' })
  .meta({ id: 'Reconcile', example: { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' } });
export type Reconcile = z.output<typeof reconcile>;

export const reconciliationFilters = {
  differing: z.enum(['true', 'false']).optional().meta({ description: 'Only those with, or without, differences.' }),
};
