import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import * as schema from '../schema';
import * as jobs from './service';

const tag = 'Databases';
const named = '/dbaas/clusters/{engine}/{ns}/{name}' as const;
const jobParams = z.strictObject({ job_id: z.uuid() });

/** Upgrades of clusters, and their way back (spec 4.10, services section 5). */
export const databaseJobsEndpoints = [
  endpoint({
    method: 'GET',
    path: `${named}/preflight`,
    operation_id: 'preflightDatabaseUpgrade',
    summary: 'Run the five checks before an upgrade',
    description: 'Every problem is named in `details`. Warnings alone do not stop an upgrade.',
    tag,
    access: 'reader',
    params: schema.clusterParams,
    query: schema.preflightQuery,
    responses: { 200: schema.preflight },
    errors: ['CONFLICT', 'ENGINE_UNAVAILABLE'],
    handle: (call, { params, query }) => jobs.preflight(call, params, query.target_version),
  }),
  endpoint({
    method: 'POST',
    path: `${named}/upgrade`,
    operation_id: 'upgradeDatabaseCluster',
    summary: 'Upgrade a cluster to another version',
    description:
      'New members follow the present ones and take over behind the same address. The former version is ' +
      'kept for a day and follows in turn, so that the upgrade can be rolled back without losing what was written since. ' +
      'Clients wait for less than a second at the switch; a failure before it leaves the cluster as it was.',
    tag,
    access: 'member',
    params: schema.clusterParams,
    body: schema.startUpgrade,
    responses: { 202: schema.job },
    errors: ['CONFLICT', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    audit: 'database_cluster.upgrade',
    handle: (call, { params, body }) => jobs.startUpgrade(call, params, body.target_version),
  }),
  endpoint({
    method: 'GET',
    path: '/dbaas/jobs',
    operation_id: 'listDatabaseJobs',
    summary: 'List upgrade jobs',
    tag,
    access: 'reader',
    query: schema.jobQuery,
    responses: { 200: z.array(schema.job) },
    handle: (call, { query }) => jobs.listJobs(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/dbaas/jobs/{job_id}',
    operation_id: 'getDatabaseJob',
    summary: 'Read an upgrade job with its stages and logs',
    tag,
    access: 'reader',
    params: jobParams,
    responses: { 200: schema.job },
    handle: (call, { params }) => jobs.readJob(call, params.job_id),
  }),
  endpoint({
    method: 'POST',
    path: '/dbaas/jobs/{job_id}/rollback',
    operation_id: 'rollBackDatabaseUpgrade',
    summary: 'Go back to the version before',
    description:
      'Possible while the job runs, and after it until `rollback.until`. Writes made on the new version are kept.',
    tag,
    access: 'member',
    params: jobParams,
    responses: { 202: schema.job },
    errors: ['CONFLICT'],
    audit: 'database_cluster.roll_back',
    handle: (call, { params }) => jobs.rollBack(call, params.job_id),
  }),
];
