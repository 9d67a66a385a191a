import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';

export const functionStatuses = ['deploying', 'active', 'error'] as const;
export type FunctionStatus = (typeof functionStatuses)[number];

export const invocationStatuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'out_of_memory',
  'dead_letter',
] as const;
export type InvocationStatus = (typeof invocationStatuses)[number];

export const triggers = ['api', 'url', 'route', 'schedule'] as const;
export type Trigger = (typeof triggers)[number];

export const runtimes = ['python3.11', 'nodejs24', 'nodejs20', 'deno2'] as const;
export type Runtime = (typeof runtimes)[number];

/** Largest payload of an invocation whose result the caller waits for, and its largest result. */
export const SYNC_PAYLOAD_BYTES = 6 * 1024 ** 2;
/** Largest payload of a queued invocation. */
export const ASYNC_PAYLOAD_BYTES = 256 * 1024;
/** Largest archive. */
export const ARCHIVE_BYTES = 50 * 1024 ** 2;
/** Code as text is a part of a JSON body. */
export const CODE_BYTES = 512 * 1024;
export const MOST_LAYERS = 5;
const MOST_VARIABLES = 100;
const VARIABLE_BYTES = 4096;

export const functionTemplate = z
  .strictObject({
    id: z.string().meta({ example: 'python3.11' }),
    runtime: z.enum(runtimes),
    name: z.string(),
    status: z.enum(['active', 'deprecated']).meta({
      description: 'Functions of a deprecated template keep running; new ones are refused with 409.',
    }),
    handler: z.string().meta({ description: 'The default handler: `file.export`.' }),
    file: z.string().meta({ description: 'The file that `code` is stored as.', example: 'main.py' }),
    example: z.string().meta({ description: 'Code of a small function.' }),
    description: z.string(),
  })
  .meta({ id: 'FunctionTemplate' });
export type FunctionTemplate = z.output<typeof functionTemplate>;

/** Part of a host name. */
const functionName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
    'must be 3 to 63 lowercase letters, digits and dashes, without a dash at either end',
  )
  .meta({ description: 'Unique in the project, and part of its URL.', example: 'thumbnails' });

const variableName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and underscores, not starting with a digit')
  .refine((name) => !/^(NEPHELE|AWS|LD|NODE|DENO|PYTHON)_|^(PATH|HOME|TMPDIR)$/.test(name), {
    error: 'is reserved for the runtime',
  });

const variableValue = z.union([
  z.string().max(VARIABLE_BYTES),
  z.strictObject({ secret_id: reference.meta({ description: 'The payload is read when an instance starts.' }) }),
]);

export const environment = z
  .record(variableName, variableValue)
  .refine(
    (variables) => Object.keys(variables).length <= MOST_VARIABLES,
    `must have at most ${MOST_VARIABLES} entries`,
  );
export type Environment = z.output<typeof environment>;

const handler = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_/-]*(\.[A-Za-z_$][A-Za-z0-9_$]*)+$/,
    'must be a file and an export, such as main.handler',
  )
  .meta({
    description: 'File, without its suffix, and export. Default: that of the template.',
    example: 'main.handler',
  });

const memory = z.int().min(64).max(2048).meta({ description: 'Memory of an instance, with its /tmp.' });
const timeout = z.int().min(1).max(300).meta({ description: 'An event that takes longer ends its instance.' });
const concurrency = z.int().min(1).max(50).meta({
  description: 'Events at the same time, each in an instance of its own. Beyond it, invocations are refused with 429.',
});
export const networkModes = ['none', 'outbound', 'project'] as const;
const network = z.enum(networkModes).meta({
  description:
    '`outbound`: public addresses, by an HTTP proxy that the environment names. `project`: a port on a tenant network.',
});
const schedule = z
  .string()
  .max(100)
  .meta({ description: 'Five fields of cron, in UTC. Missed times are not made up.', example: '*/5 * * * *' });
export const urlAuths = ['api_token', 'none'] as const;
const url = z.strictObject({
  auth: z.enum(urlAuths).default('api_token').meta({
    description: '`api_token`: callers send an API token of the project. `none`: anyone may call.',
  }),
});

/** What a function is apart from its name. */
const settable = {
  template_id: z.string().max(200).meta({ description: 'From `GET /functions/templates`.', example: 'python3.11' }),
  handler: handler.optional(),
  code: z.string().min(1).max(CODE_BYTES).optional().meta({ description: 'Source of a function of one file.' }),
  memory_mb: memory.default(128),
  timeout_s: timeout.default(10),
  env: environment.default({}),
  layer_version_ids: z.array(reference).max(MOST_LAYERS).default([]).meta({
    description: 'Layers in order: where two have the same, the later one wins; the code wins over all.',
  }),
  concurrency: concurrency.default(10),
  network: network.default('none'),
  network_id: reference.optional().meta({ description: 'With `network: project`. Default: the only network.' }),
  security_group_ids: z.array(reference).max(10).optional().meta({
    description: 'With `network: project`, of its port. Default: everything out, nothing in.',
  }),
  schedule: schedule.optional(),
  url: url.optional().meta({ description: 'Gives the function an HTTPS address of its own.' }),
};

const EXAMPLE_CODE = 'def handler(event, context):\n    return {"hello": event.get("name", "world")}\n';

export const createFunction = z
  .strictObject({ name: functionName, ...settable })
  .refine(({ name, url }) => !url || name.length <= 59, {
    path: ['name'],
    error: 'must have at most 59 characters with a url',
  })
  .meta({
    id: 'CreateFunction',
    example: { name: 'hello', template_id: 'python3.11', code: EXAMPLE_CODE, env: { GREETING: 'hello' } },
  });
export type CreateFunction = z.output<typeof createFunction>;

const environmentAgain = z
  .record(variableName, z.union([variableValue, z.null()]))
  .refine((variables) => Object.keys(variables).length <= MOST_VARIABLES, `must have at most ${MOST_VARIABLES} entries`)
  .meta({ description: 'All variables; null keeps the value that a variable has.' });

export const replaceFunction = z.strictObject({ ...settable, env: environmentAgain.default({}) }).meta({
  id: 'ReplaceFunction',
  description: 'Code and configuration as a whole. Without `code` or an archive, the code stays as it is.',
  example: { template_id: 'python3.11', code: EXAMPLE_CODE, memory_mb: 256 },
});
export type ReplaceFunction = z.output<typeof replaceFunction>;

/** Without values: they are sealed. */
const shownVariable = z.strictObject({
  name: z.string(),
  secret_id: id.nullable().meta({ description: 'Null where the value was given.' }),
});

/** The configuration of a version. */
const configuration = {
  template_id: z.string(),
  handler: z.string(),
  memory_mb: z.int(),
  timeout_s: z.int(),
  env: z.array(shownVariable).meta({ description: 'Values are never shown.' }),
  layer_version_ids: z.array(id),
  concurrency: z.int(),
  network: z.enum(networkModes),
  network_id: id.nullable(),
  security_group_ids: z.array(id),
  schedule: z.string().nullable(),
  url_auth: z.enum(urlAuths).nullable().meta({ description: 'Null without a URL.' }),
  code_sha256: z.string(),
  code_size_bytes: z.int(),
  code_kind: z.enum(['text', 'archive']),
};

export const cloudFunction = z
  .strictObject({
    id,
    name: functionName,
    status: z.enum(functionStatuses),
    status_reason: z.string().nullable(),
    version: z.int(),
    ...configuration,
    url: z.string().nullable().meta({ example: 'https://hello--fn.demo.apps.localhost:8443/' }),
    next_run_at: timestamp.nullable().meta({ description: 'The next time of the schedule.' }),
    last_invoked_at: timestamp.nullable(),
    ...times,
  })
  .meta({ id: 'Function' });
export type CloudFunction = z.output<typeof cloudFunction>;

export const functionVersion = z
  .strictObject({
    version: z.int(),
    ...configuration,
    is_current: z.boolean(),
    rolled_back_from: z
      .int()
      .nullable()
      .meta({ description: 'The version whose code and configuration this one repeats.' }),
    created_at: timestamp,
  })
  .meta({ id: 'FunctionVersion' });
export type FunctionVersion = z.output<typeof functionVersion>;

export const functionCode = z
  .strictObject({
    version: z.int(),
    code_kind: z.enum(['text', 'archive']),
    code_sha256: z.string(),
    code: z.string().nullable().meta({ description: 'Null for an archive.' }),
    files: z.array(z.strictObject({ path: z.string(), size_bytes: z.int() })),
  })
  .meta({ id: 'FunctionCode' });
export type FunctionCode = z.output<typeof functionCode>;

export const rollBack = z
  .strictObject({ version: z.int().min(1) })
  .meta({ id: 'RollBackFunction', example: { version: 1 } });

export const invoke = z
  .strictObject({
    payload: z.unknown().default({}).meta({ description: 'At most 6 MB, or 256 KB for `async`.' }),
    mode: z.enum(['sync', 'async']).default('sync'),
  })
  .meta({ id: 'InvokeFunction', example: { payload: { name: 'Ada' }, mode: 'sync' } });
export type Invoke = z.output<typeof invoke>;

export const functionError = z
  .strictObject({
    type: z.string().meta({ example: 'ValueError' }),
    message: z.string(),
    stack: z.string().nullable(),
  })
  .meta({ id: 'FunctionError' });
export type FunctionError = z.output<typeof functionError>;

const endedStatus = z.enum(['succeeded', 'failed', 'timed_out', 'out_of_memory']);

export const invocationResult = z
  .strictObject({
    invocation_id: id,
    status: endedStatus,
    result: z.unknown(),
    error: functionError.optional(),
    duration_ms: z.number().meta({ description: 'Of the handler.' }),
    memory_mb: z.int().meta({ description: 'Most memory that the instance has used.' }),
    cold_start: z.boolean(),
    logs_url: z.string(),
  })
  .meta({ id: 'InvocationResult', description: 'A failure of the function is no failure of the request.' });
export type InvocationResult = z.output<typeof invocationResult>;

export const queuedInvocation = z
  .strictObject({ invocation_id: id, status: z.literal('queued') })
  .meta({ id: 'QueuedInvocation' });
export type QueuedInvocation = z.output<typeof queuedInvocation>;

const shared = {
  id,
  function_id: id,
  version: z.int().nullable().meta({ description: 'The version that ran last.' }),
  mode: z.enum(['sync', 'async']),
  trigger: z.enum(triggers),
  status: z.enum(invocationStatuses),
  attempts: z.int().meta({ description: 'Starts of the handler; each is billed.' }),
  error: functionError.nullable(),
  duration_ms: z.number().nullable(),
  memory_mb: z.int().nullable(),
  cold_start: z.boolean().nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable().meta({ description: 'Of the last attempt.' }),
  ended_at: timestamp.nullable(),
  next_attempt_at: timestamp.nullable().meta({ description: 'For status `queued`.' }),
};

/** An invocation in lists: without payload, result and log. */
export const invocationSummary = z.strictObject(shared).meta({ id: 'InvocationSummary' });
export type InvocationSummary = z.output<typeof invocationSummary>;

export const functionLogLine = z
  .strictObject({
    at: timestamp,
    invocation_id: id.nullable().meta({ description: 'Null for lines between invocations.' }),
    stream: z.enum(['stdout', 'stderr', 'platform']).meta({ description: '`platform`: START, END and REPORT.' }),
    message: z.string(),
  })
  .meta({ id: 'FunctionLogLine' });
export type FunctionLogLine = z.output<typeof functionLogLine>;

export const invocation = z
  .strictObject({
    ...shared,
    payload: z.unknown(),
    result: z.unknown(),
    log: z.array(functionLogLine).meta({ description: 'Of the last attempt; at most 256 KB.' }),
    log_truncated: z.boolean(),
  })
  .meta({ id: 'Invocation' });
export type Invocation = z.output<typeof invocation>;

export const functionQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    status: z.enum(functionStatuses).optional(),
    template_id: z.string().max(200).optional(),
    tag: tagFilter,
  },
  ['name'],
);

export const invocationQuery = listQuery({
  status: z.enum(invocationStatuses).optional(),
  mode: z.enum(['sync', 'async']).optional(),
  trigger: z.enum(triggers).optional(),
});

export const versionQuery = listQuery({});

export const logQuery = z.strictObject({
  invocation_id: z.string().max(200).optional().meta({ description: 'Only lines of this invocation.' }),
  limit: z.coerce.number().int().min(1).max(1000).default(100).meta({ description: 'Newest lines to begin with.' }),
});

export const invocationParams = z.strictObject({ id, invocation_id: id });
/** No number as far as paths go: one that does not exist is 404. */
export const versionParams = z.strictObject({ id, version: z.string().max(200) });
