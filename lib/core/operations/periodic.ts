import { oneAtATime } from '@/lib/core/db/changes';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';

/** A recurring job; each run is done by one worker, of any cell. What uses the engines or disks of a cell is a `Look`. */
export type PeriodicJob = {
  /** Its name in the database. Must never change. */
  name: string;
  every_ms: number;
  /** `signal` aborts when the worker stops. The next run makes up for a failed one. */
  run(signal: AbortSignal): Promise<void>;
};

/** Runs jobs when they are due, unless another worker was faster. */
export function startPeriodicJobs(jobs: readonly PeriodicJob[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let registered = false;

  const look = oneAtATime(async () => {
    if (!registered) await register(jobs);
    registered = true;
    const due = await takeTurns(jobs.filter((job) => !running.has(job.name)));
    for (const job of jobs.filter(({ name }) => due.includes(name))) {
      const { name } = job;
      const ended = job
        .run(stopping.signal)
        .catch((error) => log.error({ err: error, job: name }, 'a periodic job failed'))
        .finally(() => running.delete(name));
      running.set(name, ended);
    }
  });
  const timer = setInterval(look.fire, 1000);
  look.fire();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await look.idle();
      await Promise.all(running.values());
    },
  };
}

async function register(jobs: readonly PeriodicJob[]): Promise<void> {
  await execute(sql`INSERT INTO periodic_jobs (name, due_at) SELECT name, platform_now()
    FROM unnest(${jobs.map(({ name }) => name)}::text[]) AS name ON CONFLICT DO NOTHING`);
}

/** The due jobs that this worker won and runs now. Moving a job's due time claims its run. */
async function takeTurns(jobs: readonly PeriodicJob[]): Promise<string[]> {
  if (jobs.length === 0) return [];
  const rows = await query<{ name: string }>(sql`
    UPDATE periodic_jobs SET due_at = platform_now() + job.every_ms * interval '1 millisecond'
    FROM unnest(${jobs.map(({ name }) => name)}::text[], ${jobs.map(({ every_ms }) => every_ms)}::float8[]) AS job (name, every_ms)
    WHERE periodic_jobs.name = job.name AND periodic_jobs.due_at <= platform_now() RETURNING job.name`);
  return rows.map(({ name }) => name);
}
