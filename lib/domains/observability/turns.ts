import { ApiError } from '@/lib/core/api/errors';

/** Queries of a project that run at once in a process: one project leaves processor and connections to the others. */
const MOST_AT_ONCE = 4;
/** A dashboard with many panels asks for all of them together. */
const MOST_WAITING = 60;

type Queue = { running: number; waiting: (() => void)[] };

const queues = new Map<string, Queue>();

/**
 * Runs a query when fewer than four of its project run; the others wait for their turn.
 * @throws ApiError 429 where too many wait
 */
export async function inTurn<T>(project_id: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(project_id) ?? { running: 0, waiting: [] };
  queues.set(project_id, queue);
  if (queue.running < MOST_AT_ONCE) queue.running += 1;
  else if (queue.waiting.length < MOST_WAITING) await new Promise<void>((resolve) => queue.waiting.push(resolve));
  else {
    throw new ApiError(
      'RATE_LIMITED',
      `${MOST_AT_ONCE + MOST_WAITING} queries of the project are under way. Try again later.`,
      {
        headers: { 'Retry-After': '5' },
      },
    );
  }
  try {
    return await work();
  } finally {
    const next = queue.waiting.shift();
    // The next one takes over the place.
    if (next) next();
    else {
      queue.running -= 1;
      if (queue.running === 0) queues.delete(project_id);
    }
  }
}
