import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from '../schema';
import * as backups from './service';

const tag = 'Databases';
const named = '/dbaas/clusters/{engine}/{ns}/{name}' as const;

/** Backups of clusters (services, section 5). */
export const databaseBackupsEndpoints = [
  endpoint({
    method: 'GET',
    path: '/dbaas/backups',
    operation_id: 'listDatabaseBackups',
    summary: 'List database backups, also of deleted clusters',
    tag,
    access: 'reader',
    query: schema.backupQuery,
    responses: { 200: z.array(schema.backup) },
    handle: (call, { query }) => backups.listBackups(call, query),
  }),
  endpoint({
    method: 'DELETE',
    path: '/dbaas/backups/{id}',
    operation_id: 'deleteDatabaseBackup',
    summary: 'Delete a database backup',
    tag,
    access: 'member',
    params: idParams,
    responses: { 202: schema.backup },
    errors: ['CONFLICT'],
    audit: 'database_cluster.delete_backup',
    handle: (call, { params }) => backups.deleteBackup(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: `${named}/backups`,
    operation_id: 'listClusterBackups',
    summary: 'List the backups of a cluster',
    tag,
    access: 'reader',
    params: schema.clusterParams,
    query: schema.backupQuery,
    responses: { 200: z.array(schema.backup) },
    handle: (call, { params, query }) => backups.listOfCluster(call, params, query),
  }),
  endpoint({
    method: 'POST',
    path: `${named}/backups`,
    operation_id: 'createDatabaseBackup',
    summary: 'Make a backup now',
    description: 'The cluster serves meanwhile. The backup is read to its end before it counts, and kept for 7 days.',
    tag,
    access: 'member',
    params: schema.clusterParams,
    responses: { 202: schema.backup },
    errors: ['CONFLICT'],
    audit: 'database_cluster.back_up',
    handle: (call, { params }) => backups.startBackup(call, params),
  }),
];
