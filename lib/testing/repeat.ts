/**
 * Runs the function again and again, as the agent of a cell does. Failures are printed.
 * @returns ends it once the current run is over
 */
export function repeat(every_ms: number, work: () => Promise<void>): () => Promise<void> {
  let current = Promise.resolve();
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => {
      current = work().catch((error) => console.error(error));
      void current.then(next);
    }, every_ms);
  };
  next();
  return async () => {
    await current;
    clearTimeout(timer);
  };
}
