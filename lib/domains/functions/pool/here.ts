import type { FunctionPool } from './pool';

/** The pools of this process, by cell: a worker has the one of its own. */
const pools = new Map<string, FunctionPool>();

export const poolHere = (cell: string): FunctionPool | undefined => pools.get(cell);

export function announcePool(cell: string, pool: FunctionPool | undefined): void {
  if (pool) pools.set(cell, pool);
  else pools.delete(cell);
}
