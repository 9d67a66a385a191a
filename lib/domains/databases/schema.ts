import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';
import { databaseEngines } from './engines';
import { MOST_INSTANCES, MOST_RAM_GB, MOST_STORAGE_GB, MOST_VCPUS } from './limits';

export const clusterStatuses = [
  'provisioning',
  'available',
  'degraded',
  'failing_over',
  'updating',
  'upgrading',
  'restoring',
  'deleting',
  'error',
] as const;
export type ClusterStatus = (typeof clusterStatuses)[number];
const memberRoles = ['primary', 'standby', 'node', 'sentinel'] as const;
export type MemberRole = (typeof memberRoles)[number];
const memberStatuses = ['starting', 'running', 'catching_up', 'stopped', 'failed'] as const;
export type MemberStatus = (typeof memberStatuses)[number];
const backupKinds = ['automatic', 'manual', 'before_upgrade', 'final'] as const;
export type BackupKind = (typeof backupKinds)[number];
export const backupStatuses = ['pending', 'running', 'available', 'failed', 'deleting'] as const;
const backupLocations = ['host', 'object_storage'] as const;
export type BackupLocation = (typeof backupLocations)[number];
export type BackupStatus = (typeof backupStatuses)[number];
const tiers = ['patch', 'minor', 'major'] as const;
export type UpgradeTier = (typeof tiers)[number];
/** The five safety gates of an upgrade, in their order. */
export const preflightChecks = [
  'certified_path',
  'cluster_health',
  'fresh_backup',
  'capacity',
  'compatibility',
] as const;
export type PreflightCheckId = (typeof preflightChecks)[number];
/** The stages of an upgrade that succeeds, in their order. */
export const upgradeStages = [
  'pending',
  'preflight',
  'backup',
  'provisioning',
  'replicating',
  'switching_over',
  'verifying',
  'completed',
] as const;
/** The stages of every upgrade. */
export const jobStages = [...upgradeStages, 'rolling_back', 'rolled_back', 'failed'] as const;
export type JobStage = (typeof jobStages)[number];

const engine = z.enum(databaseEngines);
const port = z.int().min(1).max(65_535);
const statusReason = z.string().nullable().meta({ description: 'Why it has this status.' });
const version = z.string().min(1).max(40).meta({ example: '16' });

/** Also a label of host names (RFC 1123). */
const hostLabel = z.string().regex(/^[a-z0-9]([a-z0-9-]{1,61}[a-z0-9])$/, {
  error: 'must be 3 to 63 lowercase letters, digits and dashes, starting and ending with a letter or digit',
});
const clusterName = hostLabel.meta({
  description: '3 to 63 lowercase letters, digits and dashes; unique for engine and namespace.',
});
const namespace = hostLabel.meta({
  description: '3 to 63 lowercase letters, digits and dashes. Groups clusters; needs not exist before.',
});

const instances = z
  .int()
  .min(1)
  .max(MOST_INSTANCES)
  .meta({ description: 'Members. 1 has no fail-over. Which numbers an engine allows differs.' });
const vcpus = z.int().min(1).max(MOST_VCPUS).meta({ description: 'Of each member.' });
const ramGb = z.number().min(0.5).max(MOST_RAM_GB).meta({ description: 'Of each member.' });
const storageGb = z.int().min(1).max(MOST_STORAGE_GB).meta({ description: 'Of each data member.' });
const parameterName = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,99}$/, 'must be a name such as max_connections');
const parameterValue = z.union([z.string().max(1000), z.number(), z.boolean()]);
const parameters = z.record(parameterName, parameterValue).meta({
  description: 'Settings of the engine; `GET /dbaas/catalog/parameters` lists them with units and bounds.',
  example: { max_connections: 100 },
});

/** The path of one cluster. */
export const engineParams = z.strictObject({ engine });
export const clusterParams = z.strictObject({
  engine: z.string().max(100),
  ns: z.string().max(100),
  name: z.string().max(100),
});
/** The path of one cluster below the address of its engine. */
export const namedParams = clusterParams.omit({ engine: true });
export type ClusterParams = z.output<typeof clusterParams>;

const member = z
  .strictObject({
    name: z.string().meta({ example: 'orders-0' }),
    role: z.enum(memberRoles).meta({
      description:
        '`primary` takes writes, `standby` follows it, `node` does both. `sentinel` is kept for engines whose Sentinels are members.',
    }),
    status: z.enum(memberStatuses),
    status_reason: statusReason,
    version: z.string().meta({ description: 'The version that it runs; during an upgrade, members differ.' }),
    lag_bytes: z
      .int()
      .nullable()
      .meta({ description: 'How much it has still to receive. Null where nothing is replicated, or it is unknown.' }),
  })
  .meta({ id: 'DatabaseMember' });
export type DatabaseMember = z.output<typeof member>;

const databaseEndpoint = z
  .strictObject({
    host: z.string().meta({ example: '10.0.0.12' }),
    port,
    uri: z.string().meta({ description: 'Without a password.', example: 'postgresql://app@10.0.0.12:5432/app' }),
    ca_certificate: z.string().meta({ description: 'PEM of the CA that signs the certificates of this cluster.' }),
  })
  .meta({ id: 'DatabaseEndpoint' });
export type DatabaseEndpoint = z.output<typeof databaseEndpoint>;

const sentinelEndpoint = z
  .strictObject({
    host: z.string().meta({ example: '10.0.0.12' }),
    port,
    master_name: z.string().meta({ example: 'orders' }),
  })
  .nullable()
  .meta({
    description: 'For clients of Sentinel, over TLS with the same CA, without a password. Valkey alone has it.',
  });

const window = z
  .strictObject({ from: timestamp, until: timestamp })
  .nullable()
  .meta({ description: 'The moments to which it can be restored; null where only backups can be restored.' });

export const cluster = z
  .strictObject({
    id,
    engine,
    namespace: z.string().meta({ example: 'default' }),
    name: z.string().meta({ example: 'orders' }),
    version: z.string().meta({ example: '16' }),
    status: z.enum(clusterStatuses).meta({
      description: '`degraded`: a member is missing; the others serve. `upgrading`: see `job_id`.',
    }),
    status_reason: statusReason,
    preview: z.string().nullable().meta({
      description: 'What its engine does not promise yet, such as `single member`; null if all is supported.',
    }),
    highly_available: z.boolean().meta({ description: 'Whether another member takes over when one fails.' }),
    instances: z.int(),
    members: z.array(member),
    endpoint: databaseEndpoint.nullable().meta({ description: 'Null until it has an address.' }),
    read_endpoint: databaseEndpoint.nullable().meta({ description: 'Balances reads over the standbys.' }),
    sentinel: sentinelEndpoint,
    username: z.string().nullable(),
    database: z.string().nullable(),
    network_id: id,
    port_id: id.nullable().meta({ description: 'Takes security groups and a floating IP.' }),
    floating_ip: z.string().nullable(),
    security_group_ids: z.array(id),
    flavor_id: id.nullable(),
    vcpus: z.int(),
    ram_gb: z.number(),
    storage_gb: z.int(),
    used_gb: z.number().nullable().meta({ description: 'Storage used by the fullest data member.' }),
    parameters: z.record(z.string(), parameterValue).meta({ description: 'What differs from the defaults.' }),
    upgrade_available: z.string().nullable().meta({ description: 'The newest certified version above its own.' }),
    job_id: id.nullable().meta({ description: 'The latest upgrade job.' }),
    last_backup_at: timestamp.nullable(),
    restore_window: window,
    ...times,
  })
  .meta({ id: 'DatabaseCluster' });
export type DatabaseCluster = z.output<typeof cluster>;

export const credentials = z
  .strictObject({
    username: z.string().optional(),
    password: z.string().optional().meta({ format: 'password' }),
    database: z.string().optional(),
    api_key: z.string().optional().meta({ format: 'password' }),
  })
  .meta({ id: 'DatabaseCredentials', description: 'Shown only once.' });
export type DatabaseCredentials = z.output<typeof credentials>;

/** The answer of create and of reset-password. */
export const clusterWithCredentials = cluster.extend({ credentials }).meta({ id: 'DatabaseClusterWithCredentials' });
export type DatabaseClusterWithCredentials = z.output<typeof clusterWithCredentials>;

const restore = z
  .union([
    z.strictObject({ backup_id: reference }),
    z.strictObject({ engine, namespace: z.string().max(100), name: z.string().max(100), at: timestamp }),
  ])
  .meta({
    description: 'A backup, or a cluster and a moment within its `restore_window`. The engine must be the same.',
  });
export type Restore = z.output<typeof restore>;

const securityGroups = z.array(reference).max(10).optional();

interface Size {
  flavor_id?: string | undefined;
  vcpus?: number | undefined;
  ram_gb?: number | undefined;
}
const oneSize = ({ flavor_id, vcpus, ram_gb }: Size) =>
  flavor_id === undefined || (vcpus === undefined && ram_gb === undefined);
const wholeSize = ({ vcpus, ram_gb }: Size) => (vcpus === undefined) === (ram_gb === undefined);

export const createCluster = z
  .strictObject({
    name: clusterName,
    namespace: namespace.default('default'),
    version: version.optional().meta({ description: 'Defaults to the default of `GET /dbaas/catalog/versions`.' }),
    instances: instances.optional(),
    flavor_id: reference.optional().meta({ description: 'Alternative to vcpus and ram_gb.' }),
    vcpus: vcpus.optional(),
    ram_gb: ramGb.optional(),
    storage_gb: storageGb,
    network_id: reference.optional().meta({ description: 'Required if the project has several networks.' }),
    security_group_ids: securityGroups.meta({
      description: 'Of the cluster’s port. If absent, it is open to the network’s own IP range.',
    }),
    parameters: parameters.optional(),
    restore: restore.optional(),
  })
  .refine(oneSize, { path: ['flavor_id'], error: 'give either flavor_id, or vcpus and ram_gb' })
  .refine(wholeSize, { path: ['vcpus'], error: 'give vcpus and ram_gb together' })
  .meta({ id: 'CreateDatabaseCluster', example: { name: 'orders', vcpus: 1, ram_gb: 1, storage_gb: 10 } });
export type CreateCluster = z.output<typeof createCluster>;

export const changeCluster = z
  .strictObject({
    instances: instances.optional(),
    flavor_id: reference.optional(),
    vcpus: vcpus.optional(),
    ram_gb: ramGb.optional(),
    storage_gb: storageGb.optional().meta({ description: 'Only larger.' }),
    parameters: z
      .record(parameterName, parameterValue.nullable())
      .optional()
      .meta({ description: 'Changes these and leaves the others; null resets one to its default.' }),
    security_group_ids: securityGroups,
  })
  .refine(oneSize, { path: ['flavor_id'], error: 'give either flavor_id, or vcpus and ram_gb' })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'give at least one field to change')
  .meta({ id: 'ChangeDatabaseCluster', example: { storage_gb: 20 } });
export type ChangeCluster = z.output<typeof changeCluster>;

const clusterFilters = {
  namespace: z.string().max(100).optional(),
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
  status: z.enum(clusterStatuses).optional(),
  network_id: id.optional(),
  tag: tagFilter,
};
export const clusterQuery = sortedQuery({ engine: engine.optional(), ...clusterFilters }, ['name']);
/** The list of one engine. */
export const engineQuery = sortedQuery(clusterFilters, ['name']);

const program = z.strictObject({
  name: z.string().meta({ example: 'postgres-16' }),
  state: z.enum(['ready', 'available', 'unavailable']).meta({
    description: '`available`: installed on first use. `unavailable`: see `hint`.',
  }),
  hint: z.string().nullable().meta({ description: 'With `unavailable`, what the operator must do.' }),
});

export const engineVersion = z
  .strictObject({
    engine,
    version,
    status: z.enum(['certified', 'deprecated', 'end_of_life']),
    default: z.boolean(),
    end_of_life_at: timestamp.nullable(),
    upgrades_to: z.array(z.string()),
    upgrades_hint: z
      .string()
      .nullable()
      .meta({ description: 'Why clusters of this engine cannot be upgraded; null where they can.' }),
    program,
  })
  .meta({ id: 'DatabaseVersion' });
export type EngineVersion = z.output<typeof engineVersion>;
export const versionQuery = z.strictObject({ engine: engine.optional() });

/** A parameter that tenants may set. */
export const engineParameter = z
  .strictObject({
    engine,
    name: z.string().meta({ example: 'max_connections' }),
    type: z.enum(['integer', 'number', 'boolean', 'choice', 'text']),
    unit: z.string().nullable().meta({ example: 'MB' }),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    choices: z.array(z.string()).nullable(),
    default: parameterValue.nullable().meta({ description: 'Null where it depends on the size.' }),
    restarts: z.boolean().meta({ description: 'Whether a change restarts the members, one after the other.' }),
    description: z.string(),
  })
  .meta({ id: 'DatabaseParameter' });
export type EngineParameter = z.output<typeof engineParameter>;

export const backup = z
  .strictObject({
    id,
    cluster_id: id,
    engine,
    namespace: z.string(),
    name: z.string().meta({ description: 'The cluster’s.' }),
    version: z.string(),
    kind: z.enum(backupKinds).meta({ description: '`final`: made when the cluster was deleted.' }),
    status: z.enum(backupStatuses),
    status_reason: statusReason,
    size_bytes: z.int().nullable(),
    storage_gb: z.int().meta({ description: 'What a cluster restored from it needs at least.' }),
    ram_gb: z
      .number()
      .meta({ description: 'Memory of each member that held it. A cluster of Valkey needs at least as much.' }),
    cluster_deleted: z.boolean().meta({ description: 'Whether its cluster is gone.' }),
    location: z.enum(backupLocations).meta({
      description:
        '`host`: beside the data of the cluster’s host, and lost with it. `object_storage`: in the platform’s outside object storage.',
    }),
    verified_at: timestamp.nullable().meta({ description: 'When it was last restored as a check.' }),
    finished_at: timestamp.nullable().meta({ description: 'The moment that it holds.' }),
    expires_at: timestamp.nullable(),
    ...times,
  })
  .meta({ id: 'DatabaseBackup' });
export type Backup = z.output<typeof backup>;
export const backupQuery = sortedQuery(
  {
    engine: engine.optional(),
    namespace: z.string().max(100).optional(),
    name: z.string().max(100).optional().meta({ description: 'Exact name of the cluster.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the cluster’s name.' }),
    status: z.enum(backupStatuses).optional(),
    kind: z.enum(backupKinds).optional(),
  },
  ['size_bytes'],
);

const loses = z.string().nullable().meta({ description: 'What a rollback loses; null: nothing.' });

export const upgradeCandidate = z
  .strictObject({
    version,
    tier: z.enum(tiers),
    method: z.string().meta({ example: 'Logical replication to a new cluster' }),
    expected_pause_ms: z.int(),
    rollback: z.strictObject({
      possible: z.boolean().meta({ description: 'After completion; until then it always is.' }),
      until: z.string().nullable().meta({ example: '24 hours after the upgrade, or a change of a table' }),
      loses,
    }),
    notes: z.array(z.string()),
  })
  .meta({ id: 'UpgradeCandidate' });
export type UpgradeCandidate = z.output<typeof upgradeCandidate>;

const preflightCheck = z.strictObject({
  id: z.enum(preflightChecks),
  status: z.enum(['passed', 'warning', 'failed']),
  message: z.string(),
  action: z.string().nullable().meta({ description: 'What to do about it.' }),
  details: z.array(z.string()).meta({ description: 'What was found, one by one.' }),
});
export type PreflightCheck = z.output<typeof preflightCheck>;

export const preflight = z
  .strictObject({
    target_version: version,
    passed: z.boolean().meta({ description: 'Warnings alone leave it true.' }),
    checked_at: timestamp,
    checks: z.array(preflightCheck).meta({ description: `Five: ${preflightChecks.join(', ')}.` }),
  })
  .meta({ id: 'Preflight' });
export type Preflight = z.output<typeof preflight>;
export const preflightQuery = z.strictObject({
  target_version: version
    .optional()
    .meta({ description: 'Defaults to the newest version that the cluster can be upgraded to.' }),
});

export const startUpgrade = z
  .strictObject({ target_version: version })
  .meta({ id: 'UpgradeDatabaseCluster', example: { target_version: '18' } });
export type StartUpgrade = z.output<typeof startUpgrade>;

export const job = z
  .strictObject({
    id,
    job_id: id.meta({ description: 'The same as `id`.' }),
    cluster_id: id,
    engine,
    namespace: z.string(),
    name: z.string(),
    stage: z.enum(jobStages),
    from_version: version,
    target_version: version,
    method: z.string(),
    progress: z.int().min(0).max(100).meta({ description: 'Percent.' }),
    pause_ms: z.int().nullable().meta({ description: 'How long clients waited at the switch, as measured.' }),
    failed_connections: z.int().nullable().meta({ description: 'Connections that the switch ended with an error.' }),
    rollback_pause_ms: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed or was rolled back.' }),
    rollback: z.strictObject({
      possible: z.boolean(),
      until: timestamp.nullable().meta({ description: 'Null while the job runs, and where there is no way back.' }),
      loses,
      reason: z.string().nullable().meta({ description: 'Why it is not possible.' }),
    }),
    transitions: z.array(z.strictObject({ stage: z.enum(jobStages), at: timestamp })),
    logs: z.array(z.strictObject({ at: timestamp, level: z.enum(['info', 'warning', 'error']), message: z.string() })),
    ...times,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'DatabaseJob' });
export type DatabaseJob = z.output<typeof job>;
export const jobQuery = listQuery({ cluster_id: id.optional() });
