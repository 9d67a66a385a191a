import { median, processorMs } from './processor-time';
import { printRatio } from './ratio';

const WRITES = 2000;
const CALLERS = 16;
const ROUNDS = 7;

/** A place to send objects to, the processes that serve it, and those of its database. */
export type SmallPlace = {
  put: (key: string) => Promise<unknown>;
  processes: () => readonly number[];
  database?: () => readonly number[];
};

/** `databaseMs`: the part of `cpuMs` that the database takes. */
type Round = { perSecond: number; cpuMs: number; databaseMs: number };

/** Objects of 1 KB, in turns: their rate, and the processor time that all processes of a side take for each. */
export async function compareSmall(own: SmallPlace, theirs: SmallPlace): Promise<void> {
  const rounds: [Round[], Round[]] = [[], []];
  for (let round = -1; round < ROUNDS; round += 1)
    for (const [index, place] of [own, theirs].entries()) {
      const measured = await measure(place, round);
      // The first one warms up.
      if (round >= 0) rounds[index]?.push(measured);
    }
  const ratio = (of: (round: Round) => number) =>
    median(rounds[0].map((mine, index) => of(mine) / of(rounds[1][index] ?? mine)));
  const [mine, plain] = [rounds[0], rounds[1]].map((all) => ({
    perSecond: Math.round(median(all.map(({ perSecond }) => perSecond))),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    databaseMs: median(all.map(({ databaseMs }) => databaseMs)),
  }));
  if (!mine || !plain) return;
  const [rate, cpu] = [ratio(({ perSecond }) => perSecond), ratio(({ cpuMs }) => cpuMs)];
  printRatio('PUTs of 1 KB, object storage to its peer', rate, `${mine.perSecond}/s to ${plain.perSecond}/s`, {
    text: '≥ 1.0',
    met: rate >= 1,
  });
  console.log(
    `    processor time of each: ${mine.cpuMs.toFixed(3)} ms (database ${mine.databaseMs.toFixed(3)}) to ${plain.cpuMs.toFixed(3)} ms, ${cpu.toFixed(2)}`,
  );
}

async function measure({ put, processes, database = () => [] }: SmallPlace, round: number): Promise<Round> {
  const [before, databaseBefore] = [processorMs(processes()), processorMs(database())];
  const begun = performance.now();
  const keys = Array.from({ length: WRITES }, (_, index) => `small-${round}-${index}`).values();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const key of keys) await put(key);
    }),
  );
  const took = performance.now() - begun;
  const databaseMs = (processorMs(database()) - databaseBefore) / WRITES;
  return {
    perSecond: (WRITES * 1000) / took,
    cpuMs: (processorMs(processes()) - before) / WRITES + databaseMs,
    databaseMs,
  };
}
