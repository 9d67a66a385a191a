import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitForLock } from '@/lib/lock';

/** A step whose result is kept until what it is made from changes. */
export type Step = {
  name: string;
  /** Told when it takes a moment. */
  doing?: string;
  /** Files and folders of the checkout, whose contents decide. */
  inputs: string[];
  /** A file that exists once the step has been done. */
  output: string;
  run(): Promise<unknown>;
};

/** Runs a step when its inputs differ from the last time; one process of the checkout at a time. */
export async function whenChanged(step: Step): Promise<void> {
  const stamp = join('.cache', `${step.name}.stamp`);
  const current = fingerprint(step.inputs);
  const done = () => existsSync(step.output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === current;
  if (done()) return;
  const lock = await waitForLock(join('.cache', `${step.name}.lock`));
  try {
    if (done()) return;
    rmSync(stamp, { force: true });
    if (step.doing) console.log(`${step.doing} …`);
    await step.run();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, current);
  } finally {
    lock.release();
  }
}

/** Tests and what only they use decide about nothing that a user sees. */
const ignored = /\.test\.tsx?$|^lib\/testing$|^lib\/core\/db\/generated$|^lib\/client\/(schema\.d|reference)\.ts$/;

function fingerprint(inputs: string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const input of inputs) if (existsSync(input)) add(hash, input);
  return hash.digest('hex');
}

function add(hash: Hash, path: string): void {
  if (ignored.test(path)) return;
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(hash, join(path, name));
  else hash.update(`\0${path}\0`).update(readFileSync(path));
}
