import { z } from 'zod';

/** A month on the wire. Years of this century: what a database's dates hold, and no typing error of a year. */
export const month = z
  .string()
  .regex(/^20\d{2}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-02')
  .meta({ description: 'A month (UTC).', example: '2026-02' });
