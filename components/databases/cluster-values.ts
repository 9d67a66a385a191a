import * as z from 'zod/mini';
import { text, wholeNumber } from '@/lib/client/constraints';
import { createPostgresCluster } from '@/lib/client/operations/dbaas';
import type { components } from '@/lib/client/schema';
import { type DatabaseEngine, databaseEngines, memberCounts } from '@/lib/domains/databases/engines';
import { sizeKey, sizeOfKey } from './sizes';
import type { Version } from './types';

type CreateBody = components['schemas']['CreateDatabaseCluster'];
const { fields } = createPostgresCluster;
const label = 'Use 3 to 63 lowercase letters, digits and dashes.';

export const clusterSchema = z.object({
  engine: z.enum(databaseEngines),
  version: z.string().check(z.minLength(1, 'Choose a version.')),
  name: text(fields.name, 'Enter a name.', label),
  namespace: text(fields.namespace, 'Enter a namespace.', label),
  instances: z.string(),
  size: z.string(),
  storage_gb: wholeNumber(fields.storage_gb, 'GB'),
  network_id: z.string().check(z.minLength(1, 'Choose a network.')),
  access: z.enum(['network', 'groups']),
  security_group_ids: z.array(z.string()),
});
export type ClusterValues = z.output<typeof clusterSchema>;

export const steps = ['engine', 'version', 'size', 'network', 'review'] as const;
export type Step = (typeof steps)[number];

const stepOfName: Record<keyof ClusterValues, Step> = {
  engine: 'engine',
  version: 'version',
  name: 'version',
  namespace: 'version',
  instances: 'size',
  size: 'size',
  storage_gb: 'size',
  network_id: 'network',
  access: 'network',
  security_group_ids: 'network',
};

/** The step with a field. */
export function stepOfField([name]: readonly PropertyKey[]): Step {
  return name !== undefined && name in stepOfName ? stepOfName[name as keyof ClusterValues] : 'review';
}

/** The version that a new cluster gets unless another is chosen; one that cannot run is never chosen. */
export function presetVersion(versions: readonly Version[], engine: DatabaseEngine): string {
  const possible = versions.filter((one) => one.engine === engine && whyNotVersion(one) === undefined);
  return (possible.find((one) => one.default) ?? possible[0])?.version ?? '';
}

/** Why no cluster of this version can be created, if so. */
export function whyNotVersion({ status, program }: Version): string | undefined {
  if (program.state === 'unavailable') return program.hint ?? 'Its program is not installed.';
  return status === 'end_of_life' ? 'No longer maintained. Only existing clusters run it.' : undefined;
}

/** Why no cluster of this engine can be created, if so. */
export function whyNotEngine(versions: readonly Version[], engine: DatabaseEngine): string | undefined {
  const own = versions.filter((one) => one.engine === engine);
  if (own.length === 0) return 'Not offered by this platform.';
  const reasons = own.map(whyNotVersion);
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

/** What follows from the choice of an engine. */
export function presetsOf(versions: readonly Version[], engine: DatabaseEngine) {
  return { engine, version: presetVersion(versions, engine), instances: String(memberCounts[engine].preset) };
}

/** The form as it begins, with the first engine that can run. */
export function firstValues(versions: readonly Version[], network_id: string): ClusterValues {
  const engine = databaseEngines.find((one) => whyNotEngine(versions, one) === undefined) ?? 'postgres';
  return {
    ...presetsOf(versions, engine),
    name: '',
    namespace: 'default',
    size: sizeKey(1, 2),
    storage_gb: '10',
    network_id,
    access: 'network',
    security_group_ids: [],
  };
}

/** The body of the POST. */
export function createBody(values: ClusterValues): CreateBody {
  const { name, namespace, version, instances, size, storage_gb, network_id, access, security_group_ids } = values;
  return {
    name,
    namespace,
    version,
    instances: Number(instances),
    ...sizeOfKey(size),
    storage_gb: Number(storage_gb),
    network_id,
    ...(access === 'groups' && { security_group_ids }),
  };
}
