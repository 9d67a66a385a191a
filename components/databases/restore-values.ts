import * as z from 'zod/mini';
import { text, wholeNumber } from '@/lib/client/constraints';
import { createPostgresCluster } from '@/lib/client/operations/dbaas';
import type { components } from '@/lib/client/schema';
import { memberCounts } from '@/lib/domains/databases/engines';
import { sizeKey, sizeOfKey } from './sizes';
import type { Backup, Cluster } from './types';

type CreateBody = components['schemas']['CreateDatabaseCluster'];
const { fields } = createPostgresCluster;

/** The source of a restore: a backup, or a cluster's data as of a moment. */
export type RestoreSource = { backup: Backup } | { cluster: Cluster; at: Date | undefined };

/** What both kinds of sources have. */
export function originOf(source: RestoreSource) {
  const { engine, namespace, name, version, storage_gb } = 'backup' in source ? source.backup : source.cluster;
  return { engine, namespace, name, version, storage_gb };
}

export interface RestoreValues {
  name: string;
  at: string;
  instances: string;
  size: string;
  storage_gb: string;
}

/** The schema of the form: the moment must be within the window, the storage hold the data. */
export function restoreSchema(source: RestoreSource) {
  const window = 'cluster' in source ? source.cluster.restore_window : null;
  return z.object({
    name: text(fields.name, 'Enter a name.', 'Use 3 to 63 lowercase letters, digits and dashes.'),
    at: z.string().check(
      z.refine((typed) => {
        if (!window) return true;
        const at = new Date(typed).getTime();
        return at >= floor(window.from) && at <= Date.parse(window.until);
      }, 'Choose a moment that can be restored.'),
    ),
    instances: z.string(),
    size: z.string(),
    storage_gb: wholeNumber({ ...fields.storage_gb, minimum: originOf(source).storage_gb }, 'GB'),
  });
}

/** The field has whole seconds. */
const floor = (at: string) => Math.floor(Date.parse(at) / 1000) * 1000;

/** The form as it begins: as large as the source. */
export function restoreValues(source: RestoreSource): RestoreValues {
  const { engine, name, storage_gb } = originOf(source);
  const cluster = 'cluster' in source ? source.cluster : undefined;
  const until = cluster?.restore_window?.until;
  const at = 'cluster' in source ? (source.at ?? (until === undefined ? undefined : new Date(until))) : undefined;
  return {
    name: `${name.slice(0, 54)}-restored`,
    at: at === undefined ? '' : localSeconds(at),
    instances: String(cluster?.instances ?? memberCounts[engine].preset),
    size:
      'backup' in source
        ? sizeKey(1, Math.max(2, source.backup.ram_gb))
        : sizeKey(source.cluster.vcpus, source.cluster.ram_gb),
    storage_gb: String(storage_gb),
  };
}

/** A moment as a field of the browser has it, in the reader's zone. */
export function localSeconds(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The body of the POST. */
export function restoreBody(source: RestoreSource, values: RestoreValues): CreateBody {
  const { engine, namespace, name, version } = originOf(source);
  const inNetwork = 'cluster' in source ? { network_id: source.cluster.network_id } : {};
  return {
    name: values.name,
    namespace,
    version,
    instances: Number(values.instances),
    ...sizeOfKey(values.size),
    storage_gb: Number(values.storage_gb),
    ...inNetwork,
    restore:
      'backup' in source
        ? { backup_id: source.backup.id }
        : { engine, namespace, name, at: new Date(values.at).toISOString() },
  };
}
