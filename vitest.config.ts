import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const machines = '{lib,app,components,prisma}/**/*.machine.test.ts';
const services = 'lib/**/*.services.test.ts';
const long = 'lib/**/*.long.test.ts';

/** Tests of code, without those of guests, services and full matrices, whose text matches. */
const testsWith = (pattern: RegExp) =>
  ['lib', 'app', 'components', 'prisma']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`))
    .filter((file) => /\.test\.tsx?$/.test(file) && !/\.(machine|services|long)\.test\.ts$/.test(file))
    .filter((file) => pattern.test(readFileSync(file, 'utf8')));

/** Tests that take a sample in every run (`lib/testing/samples.ts`). */
const sampled = () => testsWith(/testing\/(samples|hostile-requests)'/);

/**
 * Tests that change their process: its settings, its modules, or handlers that can be registered once. Each has a
 * process of its own; all others share processes, because loading the platform takes longer than most of their tests.
 */
const alone = testsWith(/\bprocess\.env\b|testing\/(own-address|object-world)'|\bvi\.(?!waitFor)|\bstartConsoles\b/);

/** Tests that depend on days and months, without slow random histories and files without dates. */
const money = {
  include: [
    'lib/{backoffice/billing,money/{alerts,billing,budget,invoices,pricing,rating,reconciliation}}/**/*.test.ts',
    'lib/money/metering/scenarios.test.ts',
  ],
  exclude: [
    'lib/money/alerts/{delivery,upgrade}.test.ts',
    'lib/money/invoices/write.test.ts',
    'lib/money/rating/no-floats.test.ts',
    'lib/money/reconciliation/faults.test.ts',
  ],
};

/** Projects inherit nothing here, because each would run the global setup again. */
function project(name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    resolve: { alias: { '@': import.meta.dirname } },
    test: {
      name,
      setupFiles: 'lib/testing/setup.ts',
      // Guests boot on an emulated processor: time limits are for hanging tests, not slow ones.
      testTimeout: 60_000,
      hookTimeout: 240_000,
      retry: process.env.CI ? 2 : 0,
      ...test,
    },
  };
}

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    globalSetup: 'lib/testing/global-setup.ts',
    // All cores: half of a test's waiting is PostgreSQL's work.
    maxWorkers: '100%',
    // `npm run coverage`
    coverage: {
      include: ['lib/**/*.{ts,tsx}'],
      exclude: [
        '**/*.test.{ts,tsx}',
        'lib/testing/**',
        'lib/core/db/generated/**',
        'lib/client/{schema.d,reference}.ts',
      ],
      reporter: ['json'],
    },
    projects: [
      project('code', {
        include: ['{lib,app,components,prisma}/**/*.test.{ts,tsx}'],
        exclude: [machines, services, long, ...alone],
        isolate: false,
      }),
      project('code alone', { include: alone }),
      // Months and days are UTC, wherever the platform and its PostgreSQL run.
      project('west of Greenwich', {
        ...money,
        exclude: [...money.exclude, ...alone],
        isolate: false,
        env: { TZ: 'America/New_York' },
      }),
      // Real server processes in sandboxes without guests: two files at a time.
      project('services', { include: [services], sequence: { groupOrder: 1 } }),
      // Guests and networks need the whole machine: after all others, one file at a time.
      project('machines', {
        include: [machines],
        fileParallelism: false,
        sequence: { groupOrder: 2 },
      }),
      // `npm run test:long`: full matrices and rehearsals that are too slow for every run.
      ...(process.env.TEST_LONG
        ? [
            project('long', {
              include: [long, ...sampled()],
              fileParallelism: false,
              retry: 0,
              sequence: { groupOrder: 3 },
            }),
          ]
        : []),
    ],
  },
});
