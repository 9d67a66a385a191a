import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Separate from the project's dependencies, which everyone installs; shared ones are found in the parent folder. */
const folder = '.cache/mutation';
const tools = { '@stryker-mutator/core': '10.1.1', '@stryker-mutator/vitest-runner': '10.1.1' };

/** The Node version that Stryker needs; the platform itself runs on older ones. */
const NODE = 22;

/**
 * `npm run mutation`: injects faults into admission and metering, one at a time, which the tests must detect.
 * @param options of `stryker run`: `--mutate lib/core/quota/limits.ts`
 */
function testByMutation(options: readonly string[]): void {
  if (Number.parseInt(process.versions.node, 10) < NODE) {
    console.error(`Stryker needs Node ${NODE} or later; this is ${process.version}.`);
    process.exitCode = 1;
    return;
  }
  install();
  const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  // Faults belong into what is tested.
  const given = options.map((option, index) =>
    options[index - 1] === '--mutate' ? `${option},!**/*.test.ts` : option,
  );
  process.exitCode = run(process.execPath, [stryker, 'run', 'lib/testing/mutation/stryker.json', ...given]);
}

function install(): void {
  const manifest = join(folder, 'package.json');
  const wanted = JSON.stringify({ private: true, dependencies: tools });
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${manifest}.new`, wanted);
  const packages = Object.entries(tools).map(([name, version]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-save'];
  const status = run('npm', ['install', '--prefix', folder, ...flags, ...packages]);
  if (status !== 0) throw new Error('Stryker could not be installed.');
  // Written last, so an interrupted installation has none.
  writeFileSync(manifest, wanted);
}

function run(command: string, args: readonly string[]): number {
  return spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
}

testByMutation(process.argv.slice(2));
