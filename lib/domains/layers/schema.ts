import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';
import { MOST_REQUIREMENTS } from './limits';
import { requirementTrouble, runtimes } from './requirements';

const description = z
  .string()
  .trim()
  .max(500)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

export const layerStatuses = ['active'] as const;
export const versionStatuses = ['building', 'ready', 'error', 'deleted'] as const;
export type VersionStatus = (typeof versionStatuses)[number];

const runtime = z.enum(runtimes);

/** A layer as its owner and everyone who may use it see it. */
export const layer = z
  .strictObject({
    id,
    name: displayName,
    description: z.string(),
    status: z.enum(layerStatuses),
    owner: z.string().meta({ description: 'The slug of the project that owns it.' }),
    is_own: z.boolean().meta({ description: 'It belongs to this project.' }),
    is_public: z.boolean().meta({ description: 'Every project may use it.' }),
    shared_with: z.int().nullable().meta({ description: 'Projects that may use it; null for others’ layers.' }),
    version_count: z.int().meta({ description: 'Versions that can be used.' }),
    latest_version: z
      .strictObject({ id, version: z.int(), runtime: runtime.nullable(), size_bytes: z.int() })
      .nullable()
      .meta({ description: 'The newest version that can be used.' }),
    ...times,
  })
  .meta({ id: 'Layer' });
export type Layer = z.output<typeof layer>;

export const createLayer = z.strictObject({ name: displayName, description: description.default('') }).meta({
  id: 'CreateLayer',
  example: { name: 'http-clients', description: 'requests and its dependencies' },
});
export type CreateLayer = z.output<typeof createLayer>;

export const changeLayer = z
  .strictObject({ name: displayName.optional(), description: description.optional() })
  .meta({ id: 'ChangeLayer', example: { description: 'requests, urllib3 and certifi' } });
export type ChangeLayer = z.output<typeof changeLayer>;

export const layerQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    shared: z.enum(['with_me', 'public']).optional().meta({
      description: 'Layers of other projects: those shared with this one, or with everyone. Default: its own.',
    }),
    tag: tagFilter,
  },
  ['name'],
);

export const layerVersion = z
  .strictObject({
    id,
    layer_id: id,
    version: z.int(),
    status: z.enum(['building', 'ready', 'error']),
    status_reason: z.string().nullable(),
    source: z.enum(['archive', 'requirements']),
    runtime: runtime.nullable().meta({ description: 'The runtime of its requirements; null: any.' }),
    requirements: z.array(z.string()).nullable(),
    sha256: z
      .string()
      .nullable()
      .meta({ description: 'Of the content, in hex: paths, modes and bytes, whatever archive they came in.' }),
    archive_sha256: z.string().nullable().meta({ description: 'Of the archive as it was sent, in hex.' }),
    size_bytes: z.int().nullable().meta({ description: 'Of all files, unpacked.' }),
    file_count: z.int().nullable(),
    lockfile: z.string().nullable().meta({
      description: 'What the requirements were resolved to: lines for pip with hashes, or a `package-lock.json`.',
    }),
    same_as: id.nullable().meta({ description: 'The earlier version that has the same content, and so its number.' }),
    ...times,
  })
  .meta({ id: 'LayerVersion' });
export type LayerVersion = z.output<typeof layerVersion>;

const requirement = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ description: 'A package with its version: `requests==2.32.3`, `lodash@4.17.21`.' });

/** A version from requirements. */
export const publishRequirements = z
  .strictObject({ runtime, requirements: z.array(requirement).min(1).max(MOST_REQUIREMENTS) })
  .superRefine(({ runtime, requirements }, issues) => {
    for (const [index, text] of requirements.entries()) {
      const message = requirementTrouble(runtime, text);
      if (message) issues.addIssue({ code: 'custom', path: ['requirements', index], message });
    }
  })
  .meta({
    id: 'PublishLayerVersion',
    description: 'Requirements as JSON; or, in a form, a zip of at most 50 MB named `archive`.',
    example: { runtime: 'python3.11', requirements: ['requests==2.32.3'] },
  });
export type PublishRequirements = z.output<typeof publishRequirements>;

export const versionQuery = sortedQuery({ status: z.enum(['building', 'ready', 'error']).optional() }, ['version']);

export const versionParams = z.strictObject({ id, version_id: id });

export const versionLog = z
  .strictObject({ log: z.string().meta({ description: 'What the builder said, as text.' }) })
  .meta({ id: 'LayerVersionLog' });
export type VersionLog = z.output<typeof versionLog>;

const grantee = z.uuid().meta({ description: 'The id of a project.' });

/** Exactly one of the two. */
const isOneGrant = (given: { project_id?: unknown; public?: unknown }) =>
  (given.project_id === undefined) !== (given.public === undefined);

export const shareLayer = z
  .strictObject({ project_id: grantee.optional(), public: z.literal(true).optional() })
  .refine(isOneGrant, 'Name a project_id, or set public to true.')
  .meta({ id: 'ShareLayer', example: { public: true } });
export type ShareLayer = z.output<typeof shareLayer>;

export const unshareQuery = z.strictObject({
  project_id: grantee.optional(),
  public: z.enum(['true']).optional().meta({ description: 'Ends the sharing with everyone.' }),
});
export type UnshareQuery = z.output<typeof unshareQuery>;

export const layerPermission = z
  .strictObject({
    id,
    project_id: z.uuid().nullable().meta({ description: 'null: everyone.' }),
    public: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'LayerPermission' });
export type LayerPermission = z.output<typeof layerPermission>;

export const permissionQuery = sortedQuery({}, []);
