import type { Host } from '../host';

type Promised = { memoryMb: number; usedMb(): Promise<number> };

/** Instances of this process, by the folder of their host: they end with it. */
const instances = new Map<string, Set<Promised>>();

/** Counts an instance from before it starts. @returns how it counts no more */
export function promiseMemory({ directory }: Host, promised: Promised): () => void {
  const present = instances.get(directory) ?? new Set();
  present.add(promised);
  instances.set(directory, present);
  return () => {
    present.delete(promised);
  };
}

/** Memory that running functions were promised, and the part of it that they do not use yet, in MB. */
export async function promisedToFunctions({ directory }: Host): Promise<{ memoryMb: number; unusedMb: number }> {
  const present = [...(instances.get(directory) ?? [])];
  const unused = await Promise.all(present.map(async (one) => Math.max(0, one.memoryMb - (await one.usedMb()))));
  return { memoryMb: sum(present.map(({ memoryMb }) => memoryMb)), unusedMb: sum(unused) };
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
