import { timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ApiError } from '@/lib/core/api/errors';
import { LightResponse } from '@/lib/core/api/light-response';
import { readMigrations } from '@/lib/core/db/migrate';
import { pool, query } from '@/lib/core/db/pool';
import { isDatabaseFull } from '@/lib/core/db/room';
import { sql } from '@/lib/core/db/sql';
import { measureIncidents } from '@/lib/core/incidents/metrics';
import { measurePushes } from '@/lib/domains/observability/logs/loki/metrics';
import { measureSamplePushes } from '@/lib/domains/observability/metrics/prometheus/metrics';
import { limitReport } from '@/lib/engines/status';
import { measureCertificates } from '@/lib/hosts/certificates/metrics';
import type { EngineReport } from '@/lib/hosts/engine-reports/schema';
import { listEngineReports } from '@/lib/hosts/engine-reports/service';
import { databaseConnections, registry } from '@/lib/metrics';
import { settings } from '@/lib/settings';

/** `/healthz`: this process responds. */
export function healthz(): Response {
  return LightResponse.json({ status: 'ok' });
}

/**
 * `/readyz`: 503 only for the database or its migrations. Engines are just listed, since the rest works without them.
 * Public, so it contains neither hosts nor paths; the back office has the engines' full reports.
 */
export async function readyz(): Promise<Response> {
  const database = await databaseState();
  if (database !== 'ok') {
    const { status, headers } = new ApiError('SERVICE_UNAVAILABLE', database);
    return LightResponse.json({ status: 'unavailable', database, engines: [] }, { status, headers });
  }
  const engines = (await listEngineReports()).map(({ engine, status, details, silent }) => {
    const limits = levelsOf(details);
    return { engine, status, silent, ...(limits && { limits }) };
  });
  // Reads and deletes still work, so this process stays in rotation.
  if (isDatabaseFull()) return LightResponse.json({ status: 'degraded', database: 'its disk is full', engines });
  return LightResponse.json({ status: 'ok', database, engines });
}

const reported = z.object({ limits: z.array(limitReport) });

/** The level of each limit without its text, which may contain paths. */
function levelsOf(details: EngineReport['details']): Record<string, string> | undefined {
  const { data } = reported.safeParse(details);
  return data && Object.fromEntries(data.limits.map(({ limit, level }) => [limit, level]));
}

async function databaseState(): Promise<string> {
  try {
    const pending = await missingMigrations();
    return pending.length === 0 ? 'ok' : `migrations are missing: ${pending.join(', ')}`;
  } catch {
    return 'the database does not respond';
  }
}

let expected: readonly string[] | undefined;

async function missingMigrations(): Promise<string[]> {
  expected ??= readMigrations('prisma/migrations').map(({ name }) => name);
  const applied = await query<{ migration_name: string }>(
    sql`SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  const names = new Set(applied.map(({ migration_name }) => migration_name));
  return expected.filter((name) => !names.has(name));
}

/** `/metrics` in Prometheus' text format, for this machine or with the `METRICS_TOKEN`. */
export async function metrics(request: Request, socketAddress: string): Promise<Response> {
  if (!mayRead(request, socketAddress)) {
    return new Response(
      'Metrics are available on this machine under the name localhost, or with METRICS_TOKEN as bearer token.\n',
      { status: 403 },
    );
  }
  const { totalCount, idleCount, waitingCount } = pool();
  databaseConnections.set({ state: 'open' }, totalCount);
  databaseConnections.set({ state: 'idle' }, idleCount);
  databaseConnections.set({ state: 'waiting' }, waitingCount);
  await measureCertificates();
  await measureIncidents();
  await measurePushes();
  await measureSamplePushes();
  return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } });
}

function mayRead(request: Request, socketAddress: string): boolean {
  const { metricsToken } = settings();
  const given = Buffer.from(request.headers.get('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${metricsToken}`);
  if (metricsToken && given.length === wanted.length && timingSafeEqual(given, wanted)) return true;
  // A proxy on this machine forwards requests of others.
  const forwarded = request.headers.has('x-forwarded-for');
  return !forwarded && isLoopback(socketAddress) && namesLoopback(request.headers.get('host') ?? '');
}

const isLoopback = (address: string) => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/**
 * Whether a `Host` header names this machine itself: another name that resolves here belongs to a foreign site in a
 * browser.
 */
function namesLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}
