/** When each of the things that are watched began to be so. */
export type Since = Map<string, number>;

/** How long something has been so, in milliseconds; 0 when it is not. */
export function lasting(since: Since, what: string, isSo: boolean): number {
  if (!isSo) {
    since.delete(what);
    return 0;
  }
  const began = since.get(what) ?? performance.now();
  since.set(what, began);
  // The first moment counts as one, so that no patience is no waiting.
  return performance.now() - began + Number.EPSILON;
}
