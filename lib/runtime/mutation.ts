import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Apart from the project's own dependencies, which everyone installs; what it shares with them it finds above it. */
const folder = '.cache/mutation';
const tools = { '@stryker-mutator/core': '10.1.1', '@stryker-mutator/vitest-runner': '10.1.1' };

/** What Stryker runs on; the platform itself is content with less. */
const NODE = 22;

/**
 * `npm run mutation`: faults put into admission and metering, one at a time, which the tests must notice.
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
  // Written last: an installation that was interrupted has none.
  writeFileSync(manifest, wanted);
}

function run(command: string, args: readonly string[]): number {
  return spawnSync(command, args, { stdio: 'inherit' }).status ?? 1;
}

testByMutation(process.argv.slice(2));
