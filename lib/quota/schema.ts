import { z } from 'zod';
import { id } from '@/lib/api/schemas';
import { type Dimension, dimensionUnits } from './dimensions';

function entry(dimension: Dimension) {
  const unit = dimensionUnits[dimension];
  return z.strictObject({
    limit: z.number().meta({ example: 64.0 }),
    used: z.number(),
    available: z
      .number()
      .meta({ description: '`limit` − `used`; below zero after a limit was set below what is in use.' }),
    unit: z.literal(unit),
  });
}

/** The quota record of spec 2.1; numbers always have a decimal point in the text. */
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
