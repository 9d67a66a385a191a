import type { Load } from './load';

/** A target for a figure, and whether it was met. */
export type Aim = { text: string; met: boolean };

const ROUNDS = 5;

/**
 * Alternates two loads, so that other activity on the machine affects both. @returns for each the run with the median
 * `of`
 */
export async function compare(
  of: 'perSecond' | 'p50_ms',
  one: () => Promise<Load> | Load,
  other: () => Promise<Load> | Load,
): Promise<[Load, Load]> {
  const results: [Load[], Load[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    results[0].push(await one());
    results[1].push(await other());
  }
  return [middle(results[0], of), middle(results[1], of)];
}

/** The load with the median figure; requires an odd number of loads. */
export function middle(loads: readonly Load[], of: 'perSecond' | 'p50_ms'): Load {
  const load = loads.toSorted((a, b) => a[of] - b[of])[Math.floor(loads.length / 2)];
  if (!load) throw new Error('nothing was measured');
  return load;
}

/** Prints the ratio with its target, and the measurements below. */
export function printRatio(what: string, ratio: number, detail: string, aim?: Aim): void {
  console.log(`${what.padEnd(46)} ${ratio.toFixed(2)}${verdict(aim)}\n${' '.repeat(4)}${detail}`);
}

/** The result against the target for the report; empty without one. */
export function verdict(aim?: Aim): string {
  return aim ? `  aim ${aim.text}: ${aim.met ? 'met' : 'MISSED'}` : '';
}
