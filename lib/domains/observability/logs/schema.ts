import { z } from 'zod';

export const buildInfo = z
  .strictObject({
    version: z.string().meta({ example: '3.0.0' }),
    revision: z.string(),
    branch: z.string(),
    buildUser: z.string(),
    buildDate: z.string(),
    goVersion: z.string(),
  })
  .meta({ id: 'LokiBuildInfo', description: 'Loki’s own answer, in the names that Loki uses.' });
