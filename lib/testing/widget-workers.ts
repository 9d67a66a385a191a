import { afterEach, beforeAll, expect, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker, type Worker, type WorkerOptions } from '@/lib/core/operations/worker';
import { operationsOf } from './operations';
import { createMachineryTable, type Hook, widgetSteps } from './widget-operations';
import { createWidgetTable } from './widgets';
import { createProject } from './world';

/** The tables of widgets, and a project with room for thousands. Call it once at the top of a test file. */
export function widgetProject(): { readonly id: string } {
  const project = { id: '' };
  beforeAll(async () => {
    await createWidgetTable();
    await createMachineryTable();
    project.id = (await createProject()).id;
    await execute(sql`UPDATE project_accounts SET instances_limit = 10000 WHERE project_id = ${project.id}::uuid`);
  });
  return project;
}

/** Starts widget workers in this process, which stop at the end of their test. */
export function widgetWorkers(): (hook?: Hook, options?: Partial<WorkerOptions>) => Worker {
  const workers: Worker[] = [];
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  return (hook, options) => {
    const worker = startWorker({ steps: widgetSteps(hook), jobs: [], lease_ms: 600, backoff: () => 5, ...options });
    workers.push(worker);
    return worker;
  };
}

/** Waits for a condition: long enough for a busy machine, and shorter than a test's time limit. */
export const until = (condition: () => Promise<void> | void) => vi.waitFor(condition, { timeout: 50_000, interval: 5 });

/** Waits until the latest operation of a resource has a status. */
export const untilStatus = (id: string, status: string) =>
  until(async () => expect((await operationsOf(id)).at(-1)).toMatchObject({ status }));

/** A promise with a function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
