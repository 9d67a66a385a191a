import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A platform's answers: status and body by request. */
export type Recording = Record<string, { status: number; body: unknown }>;

/** A base URL, and a token of each realm. */
export type Reader = { url: string; tenantToken: string; adminToken: string };

const described = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const items = z.array(z.looseObject({}));

/**
 * Not compared: streams, facts about the host or the current session, one-time answers, and reads that create new
 * credentials.
 */
const incomparable = [
  /\/events$/,
  /\/auth\/(sessions|me)$/,
  /\/admin\/api\/v1\/(engines|overview|incidents|programs)/,
  /\/console/,
  /\/metrics$/,
  /\/export$/,
  /\/sandbox\//,
  /\/checkout-sessions/,
];
/** Items per list whose details are read. */
const DETAILS = 5;

/**
 * Reads everything that a platform answers without a change: each list, the details of its first items, and what is
 * nested below them. Items created after `until` are omitted, because each sign-in writes audit entries.
 */
export async function record(reader: Reader, until: Date): Promise<Recording> {
  const description = described.parse(await (await fetch(`${reader.url}/api/v1/openapi.json`)).json());
  const paths = Object.entries(description.paths)
    .filter(([path, methods]) => 'get' in methods && !incomparable.some((pattern) => pattern.test(path)))
    .map(([path]) => path);
  const recording: Recording = {};
  const read = async (path: string) => {
    const token = path.startsWith('/admin/') ? reader.adminToken : reader.tenantToken;
    const response = await fetch(`${reader.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const bytes = Buffer.from(await response.arrayBuffer());
    recording[path] = {
      status: response.status,
      body: comparable(bytes, response.headers.get('content-type') ?? '', until),
    };
  };
  for (const path of paths.filter((path) => !path.includes('{'))) await read(path);
  for (const path of paths.filter((path) => path.includes('{'))) {
    const [list = '', rest = ''] = path.split(/\{\w+\}/);
    if (rest.includes('{')) continue;
    const found = items.safeParse(recording[list.slice(0, -1)]?.body);
    for (const { id } of found.data?.slice(0, DETAILS) ?? []) await read(`${list}${id}${rest}`);
  }
  return recording;
}

function comparable(bytes: Buffer, type: string, until: Date): unknown {
  if (!type.includes('json')) {
    return type.startsWith('text/') ? bytes.toString() : createHash('sha256').update(bytes).digest('hex');
  }
  const body: unknown = JSON.parse(bytes.toString());
  const list = items.safeParse(body);
  if (!list.success) return body;
  return list.data.filter(({ created_at, at }) => new Date(String(created_at ?? at ?? 0)) <= until);
}

/**
 * The differences between two recordings, one per line: `added` for fields only in the second one, `changed` for
 * everything else.
 */
export function differences(before: Recording, after: Recording): { changed: string[]; added: string[] } {
  const found = { changed: [] as string[], added: [] as string[] };
  const compare = (path: string, old: unknown, fresh: unknown) => {
    if (isObject(old) && isObject(fresh)) {
      for (const key of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
        if (!(key in old)) found.added.push(`${path}.${key}`);
        else compare(`${path}.${key}`, old[key], fresh[key]);
      }
    } else if (Array.isArray(old) && Array.isArray(fresh) && old.length === fresh.length) {
      for (const [index, item] of old.entries()) compare(`${path}[${index}]`, item, fresh[index]);
    } else if (JSON.stringify(old) !== JSON.stringify(fresh)) {
      found.changed.push(`${path}: ${JSON.stringify(old)?.slice(0, 300)} → ${JSON.stringify(fresh)?.slice(0, 300)}`);
    }
  };
  for (const [path, answer] of Object.entries(before)) compare(path, answer, after[path]);
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
