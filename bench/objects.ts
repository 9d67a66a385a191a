import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { now } from '@/lib/clock';
import { seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { presign } from '@/lib/domains/objects/s3/signature';
import { ensureKeys } from '@/lib/runtime/keys';
import { freePort } from '@/lib/testing/loopback';
import { measureManyUploads } from './many-uploads';
import { family, median } from './processor-time';
import { printRatio } from './ratio';
import { compareSmall } from './small-objects';

const MB = 1024 ** 2;
const LARGE = Buffer.alloc(64 * MB, 'nephele ');
const SMALL = Buffer.alloc(1024, 'x');
const RUNS = 5;
const KEYS = 1_000_000;
const LISTS = 40;
const WRITERS = 100;
const BUCKET = 'bench';
const [KEY, SECRET] = ['BENCH', 'secret-of-the-benchmark'];

type Place = { url: (method: 'GET' | 'PUT' | 'DELETE', path: string, query?: Record<string, string>) => string };
const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });

/**
 * Compares object storage, in one run, with the program that `VERSITYGW` names, otherwise with plain files over HTTP that have the
 * same hashes, and measures its lists and memory.
 */
export async function measureObjects(folder: string, only?: string): Promise<void> {
  ensureKeys();
  const [port, peerPort] = [await freePort(), await freePort()];
  const files = join(folder, 'peer');
  mkdirSync(join(files, BUCKET), { recursive: true });
  const start = (file: string, args: string[], env: Record<string, string>) =>
    spawn(process.execPath, ['--import', 'tsx', file, ...args], { env: { ...process.env, ...env }, stdio: 'inherit' });
  const server = start('lib/runtime/objects.ts', [], { S3_PORT: String(port) });
  const program = process.env.VERSITYGW;
  const peer = program
    ? spawn(program, ['--port', `127.0.0.1:${peerPort}`, '--quiet', 'posix', files], {
        env: { ...process.env, ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: SECRET },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    : start('bench/objects-peer.ts', [files, String(peerPort)], {});
  console.log(`Compared with ${program ? 'versitygw' : 'plain files over HTTP'}.`);
  try {
    const own = await place(port);
    const theirs = program
      ? signed(peerPort)
      : { url: (_: string, path: string) => `http://127.0.0.1:${peerPort}/${path}` };
    for (const each of [port, peerPort]) await answers(each);
    if (only === 'memory') return await measureManyUploads(own.url, () => residentMb(server));
    if (only !== 'small') await compareLarge(own, theirs);
    if (only === 'large') return;
    const puts = (at: Place) => (key: string) => send(at.url('PUT', key), 'PUT', SMALL);
    const database = Number(
      (await queryRow<{ pid: string }>(sql`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`)).pid,
    );
    await compareSmall(
      { put: puts(own), processes: () => family(server.pid ?? 0), database: () => family(database) },
      { put: puts(theirs), processes: () => family(peer.pid ?? 0) },
    );
    if (only === 'small') return;
    await measureLists(own);
    await measureMemory(own, server);
  } finally {
    for (const child of [server, peer]) child.kill('SIGKILL');
    agent.destroy();
  }
}

/** A project with a bucket and an access key. */
async function place(port: number): Promise<Place> {
  const [project, bucket, key] = [newId(), newId(), newId()];
  const sealed = seal(Buffer.from(SECRET), `object_credential:${project}:${key}`);
  await execute(
    sql`INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES (${project}::uuid, 'objects', 'objects', now(), now())`,
  );
  await execute(
    sql`INSERT INTO buckets (id, project_id, name, acl, created_at, updated_at) VALUES (${bucket}::uuid, ${project}::uuid, ${BUCKET}::text, 'private', now(), now())`,
  );
  await execute(sql`INSERT INTO object_credentials (id, project_id, access_key, sealed_secret, description, access, owner, created_by, created_at, updated_at)
    VALUES (${key}::uuid, ${project}::uuid, ${KEY}::text, ${sealed}::bytea, '', 'write', 'project', 'bench', now(), now())`);
  return signed(port);
}

/** Addresses of a bucket at an S3 endpoint, signed with the key of this benchmark. */
const signed = (port: number): Place => ({
  url: (method, path, query = {}) =>
    presign({
      origin: `http://127.0.0.1:${port}`,
      path: `/${BUCKET}${path === '' ? '' : `/${path}`}`,
      method,
      query,
      headers: {},
      accessKey: KEY,
      secret: SECRET,
      region: 'us-east-1',
      at: now(),
      expiresIn: 3600,
    }),
});

async function answers(port: number): Promise<void> {
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ))
  )
    await delay(50);
}

/** Sends a request and reads its answer to the end. @returns milliseconds */
function send(url: string, method: 'GET' | 'PUT', body?: Buffer): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const headers = body ? { 'Content-Length': body.length } : {};
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun);
        else reject(new Error(`${method} answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function compareLarge(own: Place, theirs: Place): Promise<void> {
  for (const method of ['PUT', 'GET'] as const) {
    const times: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run += 1)
      for (const [index, at] of [own, theirs].entries())
        times[index]?.push(await send(at.url(method, 'large'), method, method === 'PUT' ? LARGE : undefined));
    const [mine, plain] = [median(times[0]), median(times[1])];
    const rate = (ms: number) => `${Math.round(64_000 / ms)} MB/s`;
    printRatio(`${method} of 64 MB, object storage to its peer`, plain / mine, `${rate(mine)} to ${rate(plain)}`, {
      text: '≥ 0.8',
      met: plain / mine >= 0.8,
    });
  }
}

async function measureLists(own: Place): Promise<void> {
  await execute(sql`INSERT INTO object_versions (bucket_id, key, version_id, seq, latest, delete_marker, size_bytes, etag, headers, content, modified_at)
    SELECT b.id, 'deep/' || (i % 1000) || '/x/' || (i / 1000) || '/file', 'null', nextval('object_versions_seq'), true, false, 1, 'd41d8cd98f00b204e9800998ecf8427e', '{}', 'x', now()
    FROM buckets b, generate_series(1, ${KEYS}::int) AS i`);
  await execute(raw('ANALYZE object_versions'));
  for (const [depth, query] of [
    ['all keys', {}],
    ['the folders of a folder', { prefix: 'deep/', delimiter: '/' }],
    ['the folders three levels down', { prefix: 'deep/7/x/', delimiter: '/' }],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < LISTS; run += 1)
      times.push(await send(own.url('GET', '', { 'list-type': '2', ...query }), 'GET'));
    console.log(`List of 1,000 of 1,000,000 keys, ${depth}: ${median(times).toFixed(0)} ms p50  aim ≤ 30 ms`);
  }
}

const residentMb = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function measureMemory(own: Place, server: ChildProcess): Promise<void> {
  const before = residentMb(server);
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, residentMb(server));
  }, 200);
  await Promise.all(
    Array.from({ length: WRITERS }, (_, index) => send(own.url('PUT', `parallel-${index}`), 'PUT', LARGE)),
  );
  clearInterval(looking);
  console.log(
    `Memory during ${WRITERS} parallel PUTs of 64 MB: ${Math.round(before)} MB before, ${Math.round(most)} MB at most`,
  );
}
