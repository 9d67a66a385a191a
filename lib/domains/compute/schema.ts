import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { newName } from '@/lib/core/resources/rename';
import { tagFilter } from '@/lib/core/tags/schema';
import { isPublicKey } from './ssh-key';
import { actions, instanceStatuses, instanceTasks } from './transitions';

/** cloud-init reads no more than this of most clouds' user data. */
const USER_DATA_BYTES = 64 * 1024;

export const flavor = z
  .strictObject({
    id,
    name: z.string(),
    vcpus: z.int(),
    ram_gb: z.number(),
    disk_gb: z.int().meta({ description: 'Size of the boot disk.' }),
    gpu_slices: z.int(),
    status: z.enum(['active', 'deprecated']),
    ...times,
  })
  .meta({ id: 'Flavor' });
export type Flavor = z.output<typeof flavor>;

const sshPublicKey = z
  .string()
  .trim()
  .max(8 * 1024)
  .refine(
    isPublicKey,
    'must be one line with an OpenSSH public key: ssh-ed25519, ssh-rsa (at least 2048 bits) or ecdsa-sha2-nistp…',
  )
  .meta({ description: 'As in authorized_keys.', example: exampleKey() });

function exampleKey(): string {
  return 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDn6+sBBxxLqNXxRMDZLj6YvBmGHPSpCuOJmUYgMCHsa ada@example.org';
}

export const keyPair = z
  .strictObject({
    id,
    name: displayName,
    type: z.string().meta({ example: 'ssh-ed25519' }),
    public_key: z.string(),
    fingerprint: z.string().meta({ description: 'SHA-256, as `ssh-keygen -l` shows it.' }),
    ...times,
  })
  .meta({ id: 'KeyPair' });
export type KeyPair = z.output<typeof keyPair>;

export const createdKeyPair = keyPair
  .extend({
    private_key: z
      .string()
      .optional()
      .meta({ description: 'The generated private key in OpenSSH format, shown only once.' }),
  })
  .meta({ id: 'CreatedKeyPair' });

export const createKeyPair = z
  .strictObject({
    name: displayName,
    public_key: sshPublicKey.optional().meta({ description: 'If omitted, an ed25519 key pair is generated.' }),
  })
  .meta({ id: 'CreateKeyPair', example: { name: 'laptop', public_key: exampleKey() } });
export type CreateKeyPair = z.output<typeof createKeyPair>;

export const instance = z
  .strictObject({
    id,
    name: displayName,
    hostname: z.string().meta({ description: 'Hostname of the guest, derived from the instance name.' }),
    status: z.enum(instanceStatuses),
    status_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the instance has this status, or what it is waiting for.' }),
    task: z.enum(instanceTasks).nullable().meta({ description: 'The operation in progress.' }),
    fault: z
      .strictObject({ message: z.string(), at: timestamp })
      .nullable()
      .meta({ description: 'With status `error`, what went wrong.' }),
    flavor_id: id,
    flavor: z.strictObject({
      id,
      name: z.string(),
      vcpus: z.int(),
      ram_gb: z.number(),
      disk_gb: z.int(),
      gpu_slices: z.int(),
    }),
    image_id: id,
    image: z.strictObject({ id, name: z.string(), default_user: z.string().nullable() }),
    network_id: id.nullable(),
    addresses: z.array(
      z.strictObject({
        network_id: id,
        port_id: id,
        ip: z.string(),
        mac: z.string(),
        floating_ip: z.string().nullable(),
      }),
    ),
    security_group_ids: z.array(id),
    ssh_public_key: z.string().nullable(),
    volume_ids: z.array(id),
    launched_at: timestamp.nullable().meta({ description: 'When the guest first ran.' }),
    ...times,
  })
  .meta({ id: 'Instance' });
export type Instance = z.output<typeof instance>;

export const updateInstance = newName('UpdateInstance');
export const createInstance = z
  .strictObject({
    name: displayName,
    flavor_id: reference,
    image_id: reference,
    network_id: reference,
    security_group_ids: z
      .array(reference)
      .max(10)
      .optional()
      .meta({ description: 'Defaults to the project’s default group. An empty list blocks all traffic.' }),
    ssh_public_key: sshPublicKey.optional(),
    key_pair_id: reference.optional().meta({ description: 'Alternative to ssh_public_key.' }),
    user_data: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= USER_DATA_BYTES, `must be at most ${USER_DATA_BYTES} bytes`)
      .optional()
      .meta({
        description:
          'For cloud-init: a script (`#!`) or `#cloud-config`. The guest can read it; the API never returns it.',
      }),
    volume_ids: z.array(reference).max(16).default([]).meta({ description: 'Available volumes to attach at launch.' }),
  })
  .refine(({ ssh_public_key, key_pair_id }) => ssh_public_key === undefined || key_pair_id === undefined, {
    path: ['key_pair_id'],
    error: 'give either a key pair or ssh_public_key, not both',
  })
  .meta({
    id: 'CreateInstance',
    example: {
      name: 'web-1',
      flavor_id: '01940000-0000-7000-8000-000000000064',
      image_id: '01940000-0000-7000-8000-000000000101',
      network_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
    },
  });
export type CreateInstance = z.output<typeof createInstance>;

export const instanceAction = z
  .strictObject({
    action: z.enum(actions),
    image_id: reference.optional().meta({ description: 'Only for `rebuild`. Defaults to the current image.' }),
  })
  .refine(({ action, image_id }) => action === 'rebuild' || image_id === undefined, {
    path: ['image_id'],
    error: 'is only allowed with rebuild',
  })
  .meta({ id: 'InstanceAction', example: { action: 'reboot' } });
export type InstanceAction = z.output<typeof instanceAction>;

export const instanceConsole = z
  .strictObject({
    type: z.enum(['vnc']),
    url: z
      .url()
      .meta({ description: 'Single use, within 60 s; a cookie then keeps the console open until expires_at.' }),
    expires_at: timestamp,
  })
  .meta({ id: 'InstanceConsole' });
export type InstanceConsole = z.output<typeof instanceConsole>;

export const consoleLog = z
  .strictObject({
    output: z.string(),
    truncated: z.boolean().meta({ description: 'True if there are earlier lines.' }),
  })
  .meta({ id: 'ConsoleLog' });
export type ConsoleLog = z.output<typeof consoleLog>;

export const consoleLogQuery = z.strictObject({
  lines: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .meta({ description: 'Number of lines from the end.' }),
});

const metricRanges = ['1h', '6h', '24h', '7d'] as const;
export type MetricRange = (typeof metricRanges)[number];

const point = z.strictObject({
  at: timestamp.meta({ description: 'End of the interval.' }),
  cpu_percent: z.number().nullable().meta({ description: 'Of all vCPUs together.' }),
  memory_bytes: z.int().nullable(),
  disk_read_bytes_per_s: z.number().nullable(),
  disk_write_bytes_per_s: z.number().nullable(),
  disk_reads_per_s: z.number().nullable(),
  disk_writes_per_s: z.number().nullable(),
  network_rx_bytes_per_s: z.number().nullable(),
  network_tx_bytes_per_s: z.number().nullable(),
  egress_bytes_per_s: z.number().nullable().meta({ description: 'Traffic that left the platform’s private networks.' }),
});

export const instanceMetrics = z
  .strictObject({
    range: z.enum(metricRanges),
    interval_s: z.int(),
    memory_total_bytes: z.int(),
    points: z.array(point).meta({ description: 'Oldest first; intervals without samples are omitted.' }),
  })
  .meta({ id: 'InstanceMetrics' });
export type InstanceMetrics = z.output<typeof instanceMetrics>;

export const metricsQuery = z.strictObject({ range: z.enum(metricRanges).default('1h') });

const nameFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
};
export const keyPairQuery = sortedQuery({ ...nameFilters, tag: tagFilter }, ['name']);
export const flavorQuery = listQuery({ ...nameFilters, status: flavor.shape.status.optional() });
export const instanceQuery = sortedQuery(
  {
    ...nameFilters,
    status: z.enum(instanceStatuses).optional(),
    flavor_id: id.optional(),
    image_id: id.optional(),
    network_id: id.optional(),
    tag: tagFilter,
  },
  ['name'],
);
