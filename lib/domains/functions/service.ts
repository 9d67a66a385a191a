import { Cron } from 'croner';
import type { Estimate, ProjectCall, Upload } from '@/lib/core/api/endpoint';
import { conflict, invalid, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceDelete, deviceInsert } from '@/lib/core/devices/device';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { routerInCell } from '@/lib/domains/network/fragments';
import { portsReleased } from '@/lib/domains/network/ports';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { place } from '@/lib/hosts/engine-reports/placement';
import { inspectArchive } from './code/archive';
import { type Draft, readCodeForm } from './code/form';
import { codeFile, dropDraft, keepDraft, keepText, readCode } from './code/store';
import { openEnvironment, planEnvironment, sealEnvironment } from './environment';
import { endLayerUses, noteLayerUses, requireLayers } from './layers';
import { type PlannedPort, planPort, withPort } from './port';
import {
  type CloudFunction,
  type CreateFunction,
  createFunction as createSchema,
  environment,
  type FunctionCode,
  type FunctionTemplate,
  type FunctionVersion,
  functionQuery,
  type ReplaceFunction,
  replaceFunction as replaceSchema,
  versionQuery,
} from './schema';
import { findTemplate } from './templates';
import {
  type FunctionRow,
  functionColumns,
  functionTables,
  type VersionFacts,
  type VersionRow,
  versionColumns,
  versionTables,
  viewFunction,
  viewVersion,
} from './view';

export const listFunctions = listOf({
  query: functionQuery,
  columns: functionColumns,
  from: functionTables,
  id: 'f.id',
  where: ofProject('f'),
  filters: {
    name: equals('f.name'),
    search: contains('f.name'),
    status: equals('f.status'),
    template_id: equals('f.template_id'),
    tag: hasTags('f'),
  },
  sort: { name: 'f.name' },
  view: viewFunction,
});

async function readRow(call: ProjectCall, id: string): Promise<FunctionRow> {
  const row = await queryOne<FunctionRow>(sql`SELECT ${functionColumns} FROM ${functionTables}
    WHERE f.project_id = ${call.project_id}::uuid AND f.id = ${id}::uuid`);
  if (!row) throw notFound('The function');
  return row;
}

/** One function with its present configuration. @throws ApiError 404 */
export const readFunction = async (call: ProjectCall, id: string): Promise<CloudFunction> =>
  viewFunction(await readRow(call, id));

/** Code as it is stored: its digest, or a draft that becomes it. */
type Code = Pick<VersionFacts, 'code_kind' | 'code_sha256' | 'code_size_bytes'>;
type Given = CreateSettable & { archive?: Draft | undefined };
type CreateSettable = Omit<CreateFunction, 'name'>;
/** Variables may keep the values that they have. */
type GivenAgain = ReplaceFunction & { archive?: Draft | undefined };

/** A version as it should be, checked. */
type Planned = { facts: VersionFacts; nextRunAt: Date | null; port: PlannedPort | null };

/** @throws ApiError 404 for what does not exist, 400 for a schedule that never comes, 409 for layers that are not ready */
async function plan(
  call: ProjectCall,
  given: CreateSettable,
  template: FunctionTemplate,
  code: Code,
  id?: string,
): Promise<Planned> {
  const port = given.network === 'project' ? await planOwnPort(call, given) : null;
  if (!port && (given.network_id !== undefined || given.security_group_ids !== undefined))
    throw invalid('network_id: belongs to functions with network project.');
  const nextRunAt = given.schedule === undefined ? null : nextRun(given.schedule, call.at);
  const env = await planEnvironment(call.project_id, given.env);
  await requireLayers(call.project_id, given.layer_version_ids, id);
  return {
    nextRunAt,
    port,
    facts: {
      template_id: template.id,
      handler: given.handler ?? template.handler,
      memory_mb: given.memory_mb,
      timeout_s: given.timeout_s,
      concurrency: given.concurrency,
      network: given.network,
      network_id: port?.network.id ?? null,
      security_group_ids: port?.groupIds ?? [],
      layer_version_ids: given.layer_version_ids.map((version) => version.toLowerCase()),
      schedule: given.schedule ?? null,
      url_auth: given.url?.auth ?? null,
      env,
      ...code,
    },
  };
}

/** @throws ApiError 404, 400, 503 where the project's host makes no networks */
async function planOwnPort(
  call: ProjectCall,
  { network_id, security_group_ids = [] }: Pick<CreateSettable, 'network_id' | 'security_group_ids'>,
): Promise<PlannedPort> {
  await ensureProjectNetworking(call.project_id);
  const { refusal } = await place(call.project_id, ['functions', 'network']);
  if (refusal) throw refusal;
  return planPort(call, { network_id, security_group_ids });
}

/**
 * The first time of a schedule after a moment.
 * @throws ApiError 400 when it is no cron expression of five fields, or never comes
 */
export function nextRun(schedule: string, after: Date): Date {
  if (schedule.trim().split(/\s+/).length !== 5) throw invalid('schedule: must have the five fields of cron.');
  const next = firstRun(schedule, after);
  if (!next) throw invalid('schedule: this time never comes.');
  return next;
}

function firstRun(schedule: string, after: Date): Date | null {
  try {
    return new Cron(schedule, { timezone: 'UTC', mode: '5-part' }).nextRun(after);
  } catch {
    throw invalid('schedule: must be a cron expression such as */5 * * * *.');
  }
}

function requireTemplate(id: string, present?: string): FunctionTemplate {
  const template = findTemplate(id);
  if (!template) throw noSuch('template_id', 'template');
  if (template.status === 'deprecated' && present !== template.id) {
    throw conflict(`template_id: ${template.name} is deprecated and takes no new functions.`);
  }
  return template;
}

/** Stores the code of a request; null where it has none. */
async function keep({ code, archive }: Given): Promise<Code | null> {
  if (archive && code !== undefined) throw invalid('code: give code or an archive, not both.');
  if (archive) {
    await inspectArchive(archive.file);
    await keepDraft(archive.file, archive.sha256);
    return { code_kind: 'archive', code_sha256: archive.sha256, code_size_bytes: archive.sizeBytes };
  }
  if (code === undefined) return null;
  return { code_kind: 'text', code_sha256: await keepText(code), code_size_bytes: Buffer.byteLength(code) };
}

const DIMENSION = 'serverless_functions';

/** A function claims one of the quota; only its invocations cost. @throws ApiError as the create would: 404, 409 */
export function estimateFunction(_call: ProjectCall, input: CreateFunction | undefined): Estimate {
  if (input) requireTemplate(input.template_id);
  return { claims: [{ dimension: DIMENSION, amount: 1 }], uses: [] };
}

/**
 * Creates a function from text, or from a form with an archive. Its worker deploys it.
 * @throws ApiError 400, 404, 409, QuotaBreach 403, 503 where no host runs functions
 */
export async function createFunction(
  call: ProjectCall,
  body: CreateFunction | undefined,
  upload: Upload | undefined,
): Promise<CloudFunction> {
  if (!upload) return insertFunction(call, requireBody(body));
  const form = await readCodeForm(upload, createSchema, call.signal);
  try {
    return await insertFunction(call, { ...form.body, archive: form.archive });
  } finally {
    if (form.archive) await dropDraft(form.archive.file);
  }
}

function requireBody<Body>(body: Body | undefined): Body {
  if (body === undefined) throw invalid('Send a JSON body or a form.');
  return body;
}

async function insertFunction(call: ProjectCall, input: CreateFunction & Given): Promise<CloudFunction> {
  const { project_id } = call;
  const template = requireTemplate(input.template_id);
  await ensureProjectNetworking(project_id);
  const code = await keep(input);
  if (!code) throw invalid('code: give code, or send a form with an archive.');
  const { facts, nextRunAt, port } = await plan(call, input, template, code);
  const [id, versionId] = [newId(), newId()];
  const { cell_id, refusal } = await place(project_id, ['functions']);
  const slug = await slugOf(call);
  const row = {
    id,
    project_id,
    cell_id: cell_id ?? '',
    name: input.name,
    status: 'deploying' as const,
    status_reason: null,
    version: 1,
    next_run_at: nextRunAt,
    last_invoked_at: null,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = viewFunction({ ...row, ...facts, slug });
  const owner = { id, name: input.name, cell_id: cell_id ?? '' };
  const write = (rows: Record<string, Sql>) =>
    commit(call, {
      resource: { type: 'function', id, name: input.name },
      ...(port && cell_id !== null ? { target: routerInCell(cell_id), forbidden: () => OTHER_HOST } : {}),
      taken: {
        when: sql`EXISTS (SELECT FROM functions WHERE project_id = ${project_id}::uuid AND name = ${input.name}::text)`,
        message: `name: a function named "${input.name}" already exists in this project.`,
      },
      claims: [{ dimension: DIMENSION, amount: 1 }],
      ...(refusal ? { room: { fits: raw('false'), refusal } } : {}),
      rows: {
        device: deviceInsert(project_id, id, 'function'),
        function: insert<Prisma.CloudFunctionUncheckedCreateInput>(
          'functions',
          {
            ...row,
            template_id: facts.template_id,
            schedule: facts.schedule,
            url_auth: facts.url_auth,
          },
          ifAdmitted,
        ),
        version: versionInsert(
          call,
          { id: versionId, function_id: id, version: 1, facts, rolledBackFrom: null },
          input.env,
        ),
        layers: noteLayerUses(id, project_id, facts.layer_version_ids),
        ...rows,
      },
      details: detailsOf(facts),
      answer: { status: 201, body: created },
    });
  await withPort(call, owner, port, write);
  return created;
}

const OTHER_HOST = 'The project has just been assigned another host. Try again.';

const slugOf = async ({ project_id }: ProjectCall) =>
  (await queryOne<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${project_id}::uuid`))?.slug ?? '';

const detailsOf = ({ template_id, code_sha256, memory_mb, network, schedule, url_auth }: VersionFacts) => ({
  template_id,
  code_sha256,
  memory_mb,
  network,
  ...(schedule === null ? {} : { schedule }),
  ...(url_auth === null ? {} : { url_auth }),
});

type NewVersion = {
  id: string;
  function_id: string;
  version: number;
  facts: VersionFacts;
  rolledBackFrom: number | null;
};

const versionInsert = (
  call: ProjectCall,
  { id, function_id, version, facts, rolledBackFrom }: NewVersion,
  values: CreateFunction['env'],
): Sql =>
  insert<Prisma.FunctionVersionUncheckedCreateInput>(
    'function_versions',
    {
      id,
      project_id: call.project_id,
      function_id,
      version,
      ...facts,
      sealed_env: sealEnvironment(call.project_id, id, values),
      rolled_back_from: rolledBackFrom,
      created_at: call.at,
    },
    ifAdmitted,
  );

/**
 * Replaces code and configuration as a whole with a new version; without code, the present code stays.
 * @throws ApiError 400, 404, 409 also where another change came first
 */
export async function replaceFunction(
  call: ProjectCall,
  id: string,
  body: ReplaceFunction | undefined,
  upload: Upload | undefined,
): Promise<CloudFunction> {
  if (!upload) return replaceWith(call, id, requireBody(body));
  const form = await readCodeForm(upload, replaceSchema, call.signal);
  try {
    return await replaceWith(call, id, { ...form.body, archive: form.archive });
  } finally {
    if (form.archive) await dropDraft(form.archive.file);
  }
}

async function replaceWith(call: ProjectCall, id: string, given: GivenAgain): Promise<CloudFunction> {
  const present = await readRow(call, id);
  const input: Given = { ...given, env: await withKeptValues(call, present, given.env) };
  const template = requireTemplate(input.template_id, present.template_id);
  if (input.url && present.name.length > 59) throw invalid('url: the name of this function is too long for a URL.');
  const { code_kind, code_sha256, code_size_bytes } = present;
  const code = (await keep(input)) ?? { code_kind, code_sha256, code_size_bytes };
  return writeVersion(call, present, await plan(call, input, template, code, id), input.env, null);
}

/** Fills in the variables that keep the value of the current version. @throws ApiError 400 for one that it does not have */
async function withKeptValues(call: ProjectCall, present: FunctionRow, given: ReplaceFunction['env']) {
  const kept = Object.entries(given).flatMap(([name, value]) => (value === null ? [name] : []));
  if (kept.length === 0) return environment.parse(given);
  const row = await queryOne<{ id: string; sealed_env: Buffer | null }>(sql`SELECT id, sealed_env FROM function_versions
    WHERE project_id = ${call.project_id}::uuid AND function_id = ${present.id}::uuid AND version = ${present.version}::int`);
  const values = row ? openEnvironment(call.project_id, row.id, row.sealed_env) : {};
  const filled = Object.entries(given).map(([name, value]) => {
    if (value !== null) return [name, value];
    const stored = present.env.find((variable) => variable.name === name);
    if (!stored) throw invalid(`env.${name}: the current version has no such variable to keep.`);
    return [name, stored.secret_id === null ? values[name] : { secret_id: stored.secret_id }];
  });
  return environment.parse(Object.fromEntries(filled));
}

/** Makes a new version with the code and configuration of an old one. @throws ApiError 404, 409 */
export async function rollBackFunction(call: ProjectCall, id: string, version: number): Promise<CloudFunction> {
  const present = await readRow(call, id);
  const old = await queryOne<
    VersionRow & { sealed_env: Buffer | null }
  >(sql`SELECT ${versionColumns}, v.sealed_env FROM ${versionTables}
    WHERE v.project_id = ${call.project_id}::uuid AND v.function_id = ${id}::uuid AND v.version = ${version}::int`);
  if (!old) throw notFound('The version', '');
  if (old.is_current) throw conflict(`Version ${version} is the current one.`);
  const values = openEnvironment(call.project_id, old.id, old.sealed_env);
  const nextRunAt = old.schedule === null ? null : nextRun(old.schedule, call.at);
  await requireLayers(call.project_id, old.layer_version_ids, id);
  const { network_id, security_group_ids } = old;
  const port = network_id === null ? null : await planOwnPort(call, { network_id, security_group_ids });
  const { id: _, version: __, is_current, rolled_back_from, created_at, sealed_env, ...facts } = old;
  return writeVersion(call, present, { facts, nextRunAt, port }, values, version);
}

async function writeVersion(
  call: ProjectCall,
  present: FunctionRow,
  { facts, nextRunAt, port }: Planned,
  values: CreateFunction['env'],
  rolledBackFrom: number | null,
): Promise<CloudFunction> {
  const { id, name } = present;
  const version = present.version + 1;
  const changed = viewFunction({
    ...present,
    ...facts,
    version,
    status: 'deploying',
    status_reason: null,
    next_run_at: nextRunAt,
    updated_at: call.at,
  });
  const write = (rows: Record<string, Sql>) =>
    commit(call, {
      resource: { type: 'function', id, name },
      target: sql`SELECT f.version = ${present.version}::int AS allowed, f.version::text AS state
      FROM k JOIN functions f ON f.project_id = k.project_id WHERE f.id = ${id}::uuid FOR UPDATE OF f`,
      forbidden: () => `Function ${name} has just been changed by another request. Read it and try again.`,
      rows: {
        function: sql`UPDATE functions SET version = ${version}::int, template_id = ${facts.template_id}::text, status = 'deploying',
        status_reason = NULL, schedule = ${facts.schedule}::text, next_run_at = ${nextRunAt}::timestamptz,
        url_auth = ${facts.url_auth}::text, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND functions.id = ${id}::uuid`,
        version: versionInsert(call, { id: newId(), function_id: id, version, facts, rolledBackFrom }, values),
        layers: noteLayerUses(id, call.project_id, facts.layer_version_ids),
        ...rows,
      },
      details: {
        ...detailsOf(facts),
        version,
        ...(rolledBackFrom === null ? {} : { rolled_back_from: rolledBackFrom }),
      },
      answer: { status: 200, body: changed },
    });
  await withPort(call, { id, name, cell_id: present.cell_id }, port, write);
  return changed;
}

/** Deletes a function with its versions and history; what it is running ends. @throws ApiError 404 */
export async function deleteFunction(call: ProjectCall, id: string): Promise<void> {
  const { name, network } = await readRow(call, id);
  await commit(call, {
    resource: { type: 'function', id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state
      FROM k JOIN functions f ON f.project_id = k.project_id WHERE f.id = ${id}::uuid FOR UPDATE OF f`,
    rows: {
      function: sql`DELETE FROM functions USING verdict WHERE verdict.ok AND functions.id = ${id}::uuid`,
      ...(network === 'project' ? portsReleased(id, call.project_id) : {}),
      device: deviceDelete(id),
      layers: endLayerUses(id),
    },
    release: true,
  });
}

const versionList = listOf({
  query: versionQuery,
  columns: versionColumns,
  from: versionTables,
  id: 'v.id',
  where: ({ call, id }: { call: ProjectCall; id: string }) =>
    sql`v.project_id = ${call.project_id}::uuid AND v.function_id = ${id}::uuid`,
  filters: {},
  view: (row: VersionRow): FunctionVersion => viewVersion(row),
});

/** The versions of a function, newest first. @throws ApiError 404 */
export async function listVersions(
  call: ProjectCall,
  id: string,
  asked: { limit: number; cursor?: string | undefined },
) {
  await readRow(call, id);
  return versionList({ call, id }, asked);
}

/** The code of a version: text, or the files of an archive. @throws ApiError 404 */
export async function readVersionCode(call: ProjectCall, id: string, given: string): Promise<FunctionCode> {
  const version = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : 0;
  const row = await queryOne<VersionRow>(sql`SELECT ${versionColumns} FROM ${versionTables}
    WHERE v.project_id = ${call.project_id}::uuid AND v.function_id = ${id}::uuid AND v.version = ${version}::int`);
  if (!row) throw notFound('The version', '');
  const { code_kind, code_sha256, code_size_bytes, template_id } = row;
  if (code_kind === 'text') {
    const path = findTemplate(template_id)?.file ?? 'main';
    const code = await readCode(code_sha256);
    return { version, code_kind, code_sha256, code, files: [{ path, size_bytes: code_size_bytes }] };
  }
  return { version, code_kind, code_sha256, code: null, files: await inspectArchive(codeFile(code_sha256)) };
}
