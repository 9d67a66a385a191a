import { z } from 'zod';

const programStatuses = ['absent', 'fetching', 'ready', 'unavailable'] as const;

/** A program that services run, as one cell has it. */
export const programReport = z
  .strictObject({
    cell_id: z.string(),
    name: z.string().meta({ example: 'haproxy' }),
    version: z.string().meta({ example: 'debian' }),
    licence: z.string().meta({ description: 'SPDX identifier.' }),
    status: z.enum(programStatuses),
    message: z.string().nullable().meta({ description: 'Why it is not ready, and what to do.' }),
    progress: z
      .strictObject({ step: z.enum(['downloading', 'unpacking']), received_bytes: z.int() })
      .nullable()
      .meta({ description: 'Only while the program is fetched.' }),
    parts: z.array(z.string()).meta({ description: 'The packages that it was unpacked from, each with its version.' }),
  })
  .meta({ id: 'ProgramReport' });
export type ProgramReport = z.output<typeof programReport>;
