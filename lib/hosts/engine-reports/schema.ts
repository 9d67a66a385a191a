import { z } from 'zod';
import { timestamp } from '@/lib/core/api/schemas';

const engineStatuses = ['available', 'degraded', 'unavailable'] as const;

/** The latest report of an engine of a cell. A local cell is a host and has its name. */
export const engineReport = z
  .strictObject({
    host_id: z.string(),
    engine: z.string().meta({ example: 'compute' }),
    status: z.enum(engineStatuses),
    message: z.string().meta({ description: 'What works, what is limited, and what to do about it.' }),
    details: z.record(z.string(), z.unknown()),
    silent: z.boolean().meta({ description: 'No report for five minutes: the worker may be down.' }),
    updated_at: timestamp,
  })
  .meta({ id: 'EngineReport' });
export type EngineReport = z.output<typeof engineReport>;
