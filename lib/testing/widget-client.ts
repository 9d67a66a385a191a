import { newId } from '@/lib/core/db/id';
import { dimensions } from '@/lib/core/quota/dimensions';
import { seededRandom } from './random';
import { type Amounts, createWidget, deleteWidget, resizeWidget, widgetCall } from './widgets';

/*
 * A separate client process with its own connections for tests of admission that kill it. Receives orders over IPC, and
 * reports 'ready' once it can start.
 */
export type ClientOrder =
  /** Creates this many widgets, all at once, and reports how many were admitted. */
  | { do: 'burst'; project: string; count: number; amounts: Amounts }
  /** Creates, resizes and deletes widgets at random without end, `parallel` at a time, and reports each change. */
  | { do: 'churn'; project: string; seed: number; parallel: number };

async function burst({ project, count, amounts }: Extract<ClientOrder, { do: 'burst' }>): Promise<number> {
  const attempts = Array.from({ length: count }, () => createWidget(widgetCall(project), { amounts }));
  const results = await Promise.allSettled(attempts);
  return results.filter(({ status }) => status === 'fulfilled').length;
}

async function churn({ project, seed, parallel }: Extract<ClientOrder, { do: 'churn' }>): Promise<void> {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const mine: string[] = [];
  const step = async () => {
    const id = pick(mine);
    const dimension = pick(dimensions) ?? 'vcpus';
    const amount = Math.floor(random() * 400) / 100;
    if (id === undefined || random() < 0.4) {
      const fresh = newId();
      await createWidget(widgetCall(project), { id: fresh, amounts: { instances: 1, [dimension]: amount } });
      mine.push(fresh);
    } else if (random() < 0.5) {
      await resizeWidget(widgetCall(project), id, dimension, amount);
    } else {
      await deleteWidget(widgetCall(project), id);
    }
  };
  const worker = async () => {
    for (;;) {
      // Refusals and lost races are expected.
      await step().catch(() => {});
      process.send?.({ done: 1 });
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

process.on('message', async (order: ClientOrder) => {
  if (order.do === 'burst') {
    process.send?.({ admitted: await burst(order) });
    process.disconnect();
  } else await churn(order);
});
process.send?.('ready');
