import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { queryOne } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { type Dimension, dimensions, dimensionUnits } from './dimensions';
import type { Quota } from './schema';

type Amounts = Record<`${Dimension}_${'limit' | 'used' | 'available'}`, string>;

const amounts = join(
  dimensions.map((d) => raw(`a.${d}_limit, a.${d}_used, a.${d}_limit - a.${d}_used AS ${d}_available`)),
  ', ',
);

/** Limits, usage and remaining amounts of the nine dimensions (spec 4.19). */
export async function readQuota(call: ProjectCall): Promise<Sendable<Quota>> {
  const { quota } = await quotaOf(call.project_id);
  return quota;
}

/** A project's quota record and the version of its limits, from one snapshot. @throws ApiError 404 */
export async function quotaOf(projectId: string): Promise<{ quota: Sendable<Quota>; limits_version: number }> {
  const row = await queryOne<Amounts & { name: string; slug: string; limits_version: number }>(
    sql`SELECT p.name, p.slug, a.limits_version, ${amounts} FROM project_accounts a JOIN projects p ON p.id = a.project_id
        WHERE a.project_id = ${projectId}::uuid`,
  );
  if (!row) throw notFound('The tenant', '');
  const entry = <D extends Dimension>(dimension: D) => ({
    limit: JsonNumber.decimal(row[`${dimension}_limit`]),
    used: JsonNumber.decimal(row[`${dimension}_used`]),
    available: JsonNumber.decimal(row[`${dimension}_available`]),
    unit: dimensionUnits[dimension],
  });
  const quota = {
    project_id: projectId,
    tenant_name: row.name,
    tenant_slug: row.slug,
    vcpus: entry('vcpus'),
    ram_gb: entry('ram_gb'),
    storage_tb: entry('storage_tb'),
    instances: entry('instances'),
    volumes: entry('volumes'),
    databases: entry('databases'),
    serverless_functions: entry('serverless_functions'),
    airflow_dags: entry('airflow_dags'),
    api_gateways: entry('api_gateways'),
  };
  return { quota, limits_version: row.limits_version };
}
