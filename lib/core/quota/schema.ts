import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { id } from '@/lib/core/api/schemas';
import { type Dimension, dimensionUnits } from './dimensions';

function entry(dimension: Dimension) {
  const unit = dimensionUnits[dimension];
  return z.strictObject({
    limit: z.number().meta({ example: 64.0 }),
    used: z.number(),
    available: z.number().meta({ description: '`limit` − `used`; negative if the limit was set below current use.' }),
    unit: z.literal(unit),
  });
}

/** The quota record of spec 2.1; numbers always have a decimal point. */
export const quota = z
  .strictObject({
    project_id: id,
    tenant_name: z.string(),
    tenant_slug: z.string(),
    vcpus: entry('vcpus'),
    ram_gb: entry('ram_gb'),
    storage_tb: entry('storage_tb'),
    instances: entry('instances'),
    volumes: entry('volumes'),
    databases: entry('databases'),
    serverless_functions: entry('serverless_functions'),
    airflow_dags: entry('airflow_dags'),
    api_gateways: entry('api_gateways'),
  })
  .meta({ id: 'Quota' });
export type Quota = z.output<typeof quota>;

const MOST = 1_000_000_000;
const wholeLimit = z.int().min(0).max(MOST).optional();
/** The account stores six decimals: a limit is stored exactly as written, or refused. */
const decimalLimit = z
  .number()
  .min(0)
  .max(MOST)
  .refine((value) => new Decimal(value).decimalPlaces() <= 6, 'must have at most six decimal places')
  .optional();

/** The body of spec 4.20, plus the two dimensions that its table omits. */
export const limits = z
  .strictObject({
    vcpus_limit: wholeLimit,
    ram_gb_limit: decimalLimit,
    storage_tb_limit: decimalLimit,
    instances_limit: wholeLimit,
    volumes_limit: wholeLimit,
    databases_limit: wholeLimit,
    serverless_functions_limit: wholeLimit,
    airflow_dags_limit: wholeLimit,
    api_gateways_limit: wholeLimit,
  })
  .refine((given) => Object.keys(given).length > 0, 'must contain at least one limit')
  .meta({
    id: 'QuotaLimits',
    description: 'At least one; omitted limits do not change. A limit below current use only blocks new claims.',
    example: { vcpus_limit: 128, ram_gb_limit: 512, storage_tb_limit: 10.5 },
  });
export type Limits = z.output<typeof limits>;
