import { readdirSync, readFileSync } from 'node:fs';
import type { Load } from './load';
import { compare } from './ratio';

const TICKS_PER_S = 100;

/** Fields of `/proc/PID/stat` after the name; undefined for a process that has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

/** A process and all that descend from it. */
export function family(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.[1] : undefined;
    return parent === undefined ? [] : [[Number(name), Number(parent)] as const];
  });
  const found = [pid];
  for (const each of found) found.push(...parents.flatMap(([child, parent]) => (parent === each ? [child] : [])));
  return found;
}

/** Processor time of processes so far, in milliseconds, with that of children that have ended. */
export function processorMs(pids: readonly number[]): number {
  const ticks = pids.map((pid) => (statOf(pid) ?? []).slice(11, 15).reduce((sum, field) => sum + Number(field), 0));
  return (ticks.reduce((sum, each) => sum + each, 0) * 1000) / TICKS_PER_S;
}

type Side = { load: () => Promise<Load>; pid: number };
export type TimedLoad = Load & { microsEach: number };

/** As `compare` by requests per second, with the processor time that each side takes for a request. */
export async function compareWithTime(one: Side, other: Side): Promise<[TimedLoad, TimedLoad]> {
  const spent: [number[], number[]] = [[], []];
  const timed = (side: Side, into: number[]) => async () => {
    const before = processorMs(family(side.pid));
    const load = await side.load();
    into.push(((processorMs(family(side.pid)) - before) * 1000) / load.answers);
    return load;
  };
  const [mine, theirs] = await compare('perSecond', timed(one, spent[0]), timed(other, spent[1]));
  return [
    { ...mine, microsEach: median(spent[0]) },
    { ...theirs, microsEach: median(spent[1]) },
  ];
}

/** 30.1 µs to 26.0 µs, 1.16 */
export const times = (ours: TimedLoad, theirs: TimedLoad) =>
  `${ours.microsEach.toFixed(1)} µs to ${theirs.microsEach.toFixed(1)} µs, ${(ours.microsEach / theirs.microsEach).toFixed(2)}`;

export const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
