import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { compile, type Sql, type Statement } from '@/lib/core/db/sql';
import { type Load, summary } from './load';

/** Builds a statement as `commit` would send it, for a caller's project and a new resource. */
export type Make = (projectId: string, newId: () => string) => Sql;

/** The project of caller n; pgbench computes the same id. */
export const projectOfCaller = (caller: number) => `00000000-0000-7000-8000-${caller.toString(16).padStart(12, '0')}`;

/** The path of pgbench, if installed; it is part of the server's package. */
export function findPgbench(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const folders = [...(process.env.PATH ?? '').split(':'), ...versions.map((v) => `/usr/lib/postgresql/${v}/bin`)];
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path));
}

let run = 0;

/** Runs the statement, prepared, with pgbench and a number of clients. */
export async function loadPgbench(
  pgbench: string,
  url: string,
  make: Make,
  clients: number,
  seconds: number,
  folder: string,
): Promise<Load> {
  const script = join(folder, 'admission.sql');
  writeFileSync(script, await pgbenchScript(url, make));
  run += 1;
  const threads = String(Math.min(clients, 2));
  const flags = ['-n', '-M', 'prepared', '-c', String(clients), '-j', threads, '-T', String(seconds)];
  const variables = ['-D', 'n=0', '-D', `run=${run}`];
  const result = spawnSync(pgbench, [...flags, ...variables, '-f', script, url], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`pgbench failed: ${result.stderr}`);
  return loadOf(result.stdout);
}

/** What pgbench has printed; it knows the average instead of the median. @throws Error where it ran no transaction */
export function loadOf(output: string): Load {
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1]);
  const load = {
    answers: number(/actually processed: (\d+)/),
    perSecond: number(/tps = ([\d.]+)/),
    p50_ms: number(/latency average = ([\d.]+)/),
    p99_ms: Number.NaN,
  };
  if (!(load.perSecond > 0)) throw new Error(`pgbench failed: ${output}`);
  return load;
}

/** Replaces pgbench if missing: runs the statement with `pg`, which costs this process more. */
export async function loadPg(
  url: string,
  make: Make,
  newId: () => string,
  clients: number,
  seconds: number,
): Promise<Load> {
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    }),
  );
  const began = performance.now();
  const times: number[] = [];
  await Promise.all(
    connections.map(async (client, caller) => {
      while (performance.now() < began + seconds * 1000) {
        const sentAt = performance.now();
        await client.query(compile(make(projectOfCaller(caller), newId)));
        times.push(performance.now() - sentAt);
      }
      await client.end();
    }),
  );
  return summary(times, (performance.now() - began) / 1000);
}

const fresh = (n: number) => `11111111-1111-7111-8111-${n.toString().padStart(12, '0')}`;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * The statement with its values inlined. Varying values (new ids, the client's project) are computed by the server from
 * pgbench's variables, which adds some microseconds per call.
 */
async function pgbenchScript(url: string, make: Make): Promise<string> {
  const project = projectOfCaller(0);
  const [one, other] = [0, 500].map((offset) => {
    let n = offset;
    return compile(make(project, () => fresh(n++)));
  });
  if (!one || !other) throw new Error('nothing to compare');
  const same = new Set(other.values.flatMap((value) => text(value)?.match(uuid) ?? []));
  const types = await parameterTypes(url, one);
  const statement = one.text.replace(/\$(\d+)/g, (_, number: string) => {
    const index = Number(number) - 1;
    return `${expression(one.values[index], project, same)}::${types[index]}`;
  });
  const variables = '\\set n :n + 1\n\\set id :run * 68719476736 + :client_id * 268435456 + :n\n';
  return `${variables}${statement.replaceAll('\n', ' ')};\n`;
}

/** The types that the server infers for a statement's parameters; runs it once. */
async function parameterTypes(url: string, statement: Statement): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  const { rows } = await client.query<{ types: string[] }>(
    'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
    [statement.name],
  );
  await client.end();
  return rows[0]?.types ?? [];
}

function text(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function expression(value: unknown, project: string, same: ReadonlySet<string>): string {
  const written = text(value);
  if (written === undefined) return 'NULL';
  const pieces = written.split(new RegExp(`(${uuid.source})`)).map((piece) => {
    if (!piece.match(uuid)) return literal(piece);
    if (piece === project) return `('00000000-0000-7000-8000-' || lpad(to_hex(:client_id::bigint), 12, '0'))`;
    return same.has(piece) ? literal(piece) : `(${literal(piece.slice(0, 24))} || lpad(to_hex(:id::bigint), 12, '0'))`;
  });
  return `(${pieces.join(' || ')})`;
}

/** Escapes colons, because a colon followed by a name is a variable in pgbench. */
function literal(piece: string): string {
  return `E'${piece.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')}'`;
}
