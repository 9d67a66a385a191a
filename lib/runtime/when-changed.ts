import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitForLock } from '@/lib/lock';

/** A step whose result is kept until its inputs change. */
export type Step = {
  name: string;
  /** The message while it runs. */
  doing?: string;
  /** The files and folders of the checkout that it depends on. */
  inputs: string[];
  /** A file that exists after the step. */
  output: string;
  run(): Promise<unknown>;
};

/** Runs a step if its inputs have changed since the last run; one process of the checkout at a time. */
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

/** Tests and their helpers do not affect the product. */
const ignored =
  /\.test\.tsx?$|^lib\/testing$|^lib\/core\/db\/generated$|^lib\/client\/(operations|(schema\.d|reference|reference-pages)\.ts)$/;

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
