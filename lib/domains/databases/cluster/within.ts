/** A member did not answer in time. */
export class Late extends Error {}

/** The result of some work; after so many milliseconds it is not waited for any longer. @throws Late */
export function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late('no answer in time')), ms);
  });
  work.catch(() => {});
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
