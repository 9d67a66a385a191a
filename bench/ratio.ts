import type { Load } from './load';

/** What a figure should be, and whether it is. */
export type Aim = { text: string; met: boolean };

const ROUNDS = 5;

/** Two loads in turns, so that whatever else the machine does meets both; of each the run with the median `of`. */
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

/** The load whose figure is the median of an odd number of them. */
export function middle(loads: readonly Load[], of: 'perSecond' | 'p50_ms'): Load {
  const load = loads.toSorted((a, b) => a[of] - b[of])[Math.floor(loads.length / 2)];
  if (!load) throw new Error('nothing was measured');
  return load;
}

/** A line of the report: the ratio and what should be; below it, what was measured. */
export function printRatio(what: string, ratio: number, detail: string, aim?: Aim): void {
  console.log(`${what.padEnd(46)} ${ratio.toFixed(2)}${verdict(aim)}\n${' '.repeat(4)}${detail}`);
}

/** The end of a line of the report; empty where nothing is aimed at. */
export function verdict(aim?: Aim): string {
  return aim ? `  aim ${aim.text}: ${aim.met ? 'met' : 'MISSED'}` : '';
}
