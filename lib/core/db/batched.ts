/**
 * Joins calls that are made at the same time into one statement: calls that come while others are under way wait for them
 * and then go together. A call alone goes at once, so nothing waits for company.
 * @param run gives the results in the order of the items; when it fails, so do the calls of all of them
 * @param most items of a batch
 */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  type Call = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };
  let waiting: Call[] = [];
  let isUnderWay = false;

  async function go(): Promise<void> {
    isUnderWay = true;
    // What the same moment brings goes along.
    await Promise.resolve();
    while (waiting.length > 0) {
      const calls = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await run(calls.map(({ item }) => item));
        for (const [index, { resolve, reject }] of calls.entries()) {
          const result = results[index];
          if (result === undefined) reject(new Error('a batch gave too few results'));
          else resolve(result);
        }
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isUnderWay = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isUnderWay) void go();
    });
}
