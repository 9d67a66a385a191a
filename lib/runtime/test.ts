import { existsSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { runInForeground } from './run-node';
import { installMissing, missingForEngines, missingForTests } from './system-packages';

type Count = { passed: number; failed: number };
type Step = { name: string; args: string[]; count?: () => Count };

const unitResults = 'test-results/unit.json';
const browserResults = 'test-results/browser.json';

const steps: Step[] = [
  { name: 'generate', args: ['--import', 'tsx', 'lib/runtime/generate.ts'] },
  { name: 'types', args: ['node_modules/typescript-native/bin/tsc', '--noEmit'] },
  { name: 'lint', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'] },
  // Tests that start the whole platform find its pages built.
  { name: 'build', args: ['--import', 'tsx', 'lib/runtime/generate.ts', 'pages'] },
  {
    name: 'unit and integration',
    args: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${unitResults}`,
    ],
    count: countUnit,
  },
  {
    name: 'browser',
    args: ['node_modules/@playwright/test/cli.js', 'test', '--pass-with-no-tests'],
    count: countBrowser,
  },
];

/**
 * `npm test`: every check there is, each told apart, whatever the ones before it found. Ends with a summary whose last
 * line is `N passed, N failed`, and the exit code to match.
 */
export async function runTests(): Promise<void> {
  const without = 'Machine and browser tests fail';
  await installMissing(() => [...missingForTests(), ...missingForEngines()], without);
  rmSync('test-results', { recursive: true, force: true });
  const summary: string[] = [];
  const total = { passed: 0, failed: 0 };
  for (const step of steps) {
    console.log(`\n── ${step.name}`);
    const startedAt = performance.now();
    const succeeded = (await runInForeground(step.args)) === 0;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const count = counted(step, succeeded);
    total.passed += count.passed;
    total.failed += count.failed;
    summary.push(`  ${step.name.padEnd(22)}${seconds.padStart(6)} s   ${count.passed} passed, ${count.failed} failed`);
  }
  console.log(`\n${summary.join('\n')}\n\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** A step without tests of its own counts as one; a step that failed has at least one failure. */
function counted({ count }: Step, succeeded: boolean): Count {
  const { passed, failed } = count?.() ?? { passed: succeeded ? 1 : 0, failed: 0 };
  return { passed, failed: succeeded ? failed : Math.max(failed, 1) };
}

function countUnit(): Count {
  const report = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });
  const read = readReport(unitResults, report);
  return { passed: read?.numPassedTests ?? 0, failed: read?.numFailedTests ?? 0 };
}

function countBrowser(): Count {
  const report = z.object({ stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }) });
  const stats = readReport(browserResults, report)?.stats;
  return { passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0), failed: stats?.unexpected ?? 0 };
}

function readReport<T>(path: string, report: z.ZodType<T>): T | undefined {
  return existsSync(path) ? report.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}
