import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '@/lib/settings';
import { announceAccounts, announceReady, preparedSchema } from './announce';
import { dropReserve, keepReserve, LOW_BYTES } from './database-reserve';
import { restartOnChange } from './development';
import { startEmbeddedDatabase } from './embedded-database';
import { buildPages, generateApiClient, generateDatabaseClient } from './generate';
import { hostStops } from './host-stops';
import { keepRunning, type Launch } from './keep-running';
import { endLeftovers, supervisedMark } from './leftovers';
import { launchNode } from './node-process';
import { type RunOptions, runNode } from './run-node';
import { installMissing, missingForEngines } from './system-packages';
import { report, showDatabaseLine, terminalLine } from './terminal-log';

/** Stops one part of the platform. */
export type Stop = { name: string; stop(): Promise<void> };

type Options = {
  dev: boolean;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Filled as parts come up; stop them in reverse order. */
  stops: Stop[];
};

/** Time for web and worker to finish their work. */
const graceMs = 40_000;

/** Brings up the database, worker, object storage and web with all that they need; settles when the platform answers. */
export async function bringUp(settings: Settings, { dev, signal, stops }: Options): Promise<void> {
  const begunAt = performance.now();
  const { dataDir } = settings;
  await endLeftovers(dataDir, graceMs);
  await requireFree(settings.host, settings.port, 'PORT');
  if (!settings.s3.external) await requireFree(settings.s3.host, settings.s3.port, 'S3_PORT');
  if (settings.backofficeListen) {
    await requireFree(settings.backofficeListen.host, settings.backofficeListen.port, 'BACKOFFICE_LISTEN');
  }

  const failing = new AbortController();
  const givingUp = AbortSignal.any([signal, failing.signal]);
  const keep = (name: string, launch: Launch) => keepRunning(name, launch, { report, until: givingUp });
  const env: Record<string, string> = {
    ...supervisedMark(dataDir),
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  };
  if (settings.databaseUrl) dropReserve(dataDir);
  else {
    // Before the database starts: one that ran out of disk needs room to recover.
    const bytes = settings.databaseReserveMb * 1024 ** 2;
    const reserve = await keepReserve({ dataDir, bytes, lowBytes: LOW_BYTES }, report);
    stops.push({ name: 'database disk reserve', stop: reserve.stop });
    const database = await keep('database', async (giveUp) => {
      const server = await startEmbeddedDatabase(dataDir, showDatabaseLine, giveUp);
      env.DATABASE_URL = server.databaseUrl;
      return server;
    });
    stops.push({ name: 'database', stop: database.stop });
  }

  const run: RunOptions = { env, signal: givingUp };
  const packages = installMissing(missingForEngines, 'Machines and networks are not available', givingUp);
  await generateDatabaseClient(run);
  const prepared = runNode(['--import', 'tsx', 'lib/runtime/prepare.ts'], run).then(preparedSchema.parse);
  // Processes load their code while the database is being prepared, and begin their work after that.
  const begin = Promise.all([prepared, packages]);
  const onLine = process.stdout.isTTY ? (line: string) => console.log(terminalLine(line)) : undefined;
  const launch = (name: string) => keep(name, (giveUp) => launchNode({ name, env, begin, graceMs, onLine }, giveUp));
  const pages = dev ? generateApiClient(run) : buildPages(run);
  // The first failure determines the reason and stops the others.
  const [worker, objects, web] = await Promise.all(
    [launch('worker'), settings.s3.external ? undefined : launch('objects'), pages.then(() => launch('web'))].map(
      (part) =>
        part?.catch((error) => {
          failing.abort(error);
          return undefined;
        }),
    ),
  );
  if (worker) {
    for (const { name, stop } of hostStops) stops.push({ name, stop: () => stop(env) });
    stops.push({ name: 'worker', stop: worker.stop });
  }
  if (objects) stops.push({ name: 'object storage', stop: objects.stop });
  if (web) stops.push({ name: 'web', stop: web.stop });

  // Shown even after a failure, because the passwords cannot be shown again.
  announceAccounts(await prepared.then(({ accounts }) => accounts).catch(() => []), settings);
  givingUp.throwIfAborted();
  announceReady(settings, (performance.now() - begunAt) / 1000);
  if (dev && worker) void restartOnChange(worker, run, signal);
}

/** Reports a busy port at once, rather than after a build. */
async function requireFree(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' ? 'is in use' : `${error}`;
    throw new Error(`${host}:${port} ${reason}. Set a different ${setting}.`);
  }
  probe.close();
  await once(probe, 'close');
}
