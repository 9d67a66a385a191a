import { z } from 'zod';

/**
 * A month in the API. Limited to this century, which excludes dates that the database cannot store and typing errors.
 */
export const month = z
  .string()
  .regex(/^20\d{2}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-02')
  .meta({ description: 'A month (UTC).', example: '2026-02' });
