import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';
import { runInForeground } from './run-node';
import { installMissing, missingForEngines, missingForTests } from './system-packages';

type Count = { passed: number; failed: number; failures?: string[] };
type Step = { name: string; args: string[]; count?: () => Count };

const unitResults = 'test-results/unit.json';
const browserResults = 'test-results/browser.json';

const steps: Step[] = [
  { name: 'generate', args: ['--import', 'tsx', 'lib/runtime/generate.ts'] },
  { name: 'types', args: ['node_modules/typescript-native/bin/tsc', '--noEmit'] },
  { name: 'lint', args: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'] },
  // Built in advance for tests that start the whole platform.
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
 * `npm test`: runs every check separately, whatever the result of earlier ones. Ends with the failed tests by name and
 * a summary whose last line is `N passed, N failed`, and a matching exit code.
 */
export async function runTests(): Promise<void> {
  const without = 'Machine and browser tests fail';
  await installMissing(() => [...missingForTests(), ...missingForEngines()], without);
  rmSync('test-results', { recursive: true, force: true });
  const summary: string[] = [];
  const failures: string[] = [];
  const total = { passed: 0, failed: 0 };
  for (const step of steps) {
    console.log(`\n── ${step.name}`);
    const startedAt = performance.now();
    const succeeded = (await runInForeground(step.args)) === 0;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const count = counted(step, succeeded);
    total.passed += count.passed;
    total.failed += count.failed;
    failures.push(...(count.failures ?? []));
    summary.push(`  ${step.name.padEnd(22)}${seconds.padStart(6)} s   ${count.passed} passed, ${count.failed} failed`);
  }
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`);
  console.log(`\n${summary.join('\n')}\n\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** A step without tests counts as one; a failed step has at least one failure. */
function counted({ name, count }: Step, succeeded: boolean): Count {
  const { passed, failed, failures } = count?.() ?? { passed: succeeded ? 1 : 0, failed: 0 };
  if (succeeded) return { passed, failed };
  return { passed, failed: Math.max(failed, 1), failures: failures?.length ? failures : [name] };
}

const unitReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

function countUnit(): Count {
  const report = readReport(unitResults, unitReport);
  const failures = (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => `${file}: ${fullName}\n    ${beginningOf(failureMessages?.[0])}`);
    return failed.length === 0 && status === 'failed' ? [`${file}\n    ${beginningOf(message)}`] : failed;
  });
  return { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0, failures };
}

/** The first lines of an error's text. Prisma's say what went wrong after an empty line. */
function beginningOf(text = ''): string {
  const [message = ''] = text.split(/\n\s+at /, 1);
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, 6).join('\n    ');
}

const browserSuite = z.object({
  specs: z.array(
    z.object({
      title: z.string(),
      file: z.string(),
      line: z.number(),
      tests: z.array(z.object({ status: z.string() })),
    }),
  ),
  get suites() {
    return z.array(browserSuite).optional();
  },
});

const browserReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  suites: z.array(browserSuite),
});

function countBrowser(): Count {
  const report = readReport(browserResults, browserReport);
  const failures = (report?.suites ?? []).flatMap(failedSpecs);
  const { expected = 0, flaky = 0, unexpected = 0 } = report?.stats ?? {};
  return { passed: expected + flaky, failed: unexpected, failures };
}

function failedSpecs({ specs, suites = [] }: z.infer<typeof browserSuite>): string[] {
  const failed = specs.filter(({ tests }) => tests.some(({ status }) => status === 'unexpected'));
  return [...failed.map(({ file, line, title }) => `e2e/${file}:${line}: ${title}`), ...suites.flatMap(failedSpecs)];
}

function readReport<T>(path: string, report: z.ZodType<T>): T | undefined {
  return existsSync(path) ? report.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}
