/** Clusters that this process is changing: the agent's look and an operation never act on one at the same time. */
const busy = new Map<string, Promise<unknown>>();

/** Runs work on a cluster when all earlier work on it has ended. */
export async function inTurn<T>(clusterId: string, work: () => Promise<T>): Promise<T> {
  const before = busy.get(clusterId) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(work);
  busy.set(clusterId, mine);
  try {
    return await mine;
  } finally {
    if (busy.get(clusterId) === mine) busy.delete(clusterId);
  }
}

/** Runs work on a cluster, unless something else is at work on it: the next look comes soon. */
export async function ifIdle(clusterId: string, work: () => Promise<void>): Promise<void> {
  if (!busy.has(clusterId)) await inTurn(clusterId, work);
}
