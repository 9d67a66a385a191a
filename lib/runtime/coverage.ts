import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';

/** Code that must have full branch coverage: admission, operations, metering, policy. */
const whole = [
  'lib/core/quota/',
  'lib/core/operations/',
  'lib/money/metering/',
  'lib/money/rating/',
  'lib/people/iam/',
  'lib/core/api/policy.ts',
];

const span = z.object({ start: z.object({ line: z.number().nullish() }) });
const counts = <Count extends z.ZodType>(count: Count) => z.record(z.string(), count);
const report = z.record(
  z.string(),
  z.object({
    statementMap: counts(span),
    s: counts(z.number()),
    branchMap: counts(z.object({ type: z.string(), loc: span, locations: z.array(span) })),
    b: counts(z.array(z.number())),
  }),
);
type FileCoverage = z.output<typeof report>[string];
type Share = { hit: number; all: number };

/**
 * `npm run coverage`: runs unit and integration tests and prints line and branch coverage by folder. Fails when a test
 * fails or code of the list above misses a branch. Child processes are not measured.
 * @param options paths for which every missed branch is listed; `--machines` also runs the tests that boot guests
 */
function measureCoverage(options: readonly string[]): void {
  const listed = options.filter((option) => option !== '--machines');
  const projects = options.includes('--machines') ? [] : ['--project=code', '--project=code alone'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, '--coverage.enabled'];
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = 1;
    return;
  }
  const measured = report.parse(JSON.parse(readFileSync('coverage/coverage-final.json', 'utf8')));
  const files = Object.entries(measured).map(([path, file]) => [relative('.', path), file] as const);
  print(files);
  const missed = (paths: readonly string[]) =>
    files
      .filter(([path]) => paths.some((start) => path.startsWith(start)))
      .flatMap(([path, file]) => missedBranches(file).map((branch) => `  ${path}:${branch}`));
  const wanted = missed(listed);
  if (wanted.length > 0) console.log(`\nNot covered:\n${wanted.join('\n')}`);
  const faults = missed(whole);
  if (faults.length === 0) return;
  console.error(`\nThese branches must be covered by a test:\n${faults.join('\n')}`);
  process.exitCode = 1;
}

function print(files: readonly (readonly [path: string, file: FileCoverage])[]): void {
  const folderOf = (path: string) => path.split('/').slice(1, -1).slice(0, 2).join('/');
  const line = (name: string, of: readonly FileCoverage[]) =>
    console.log(`${name.padEnd(16)}${percent(of.map(lines))}${percent(of.map(branches))}`);
  console.log(`\n${'lib/'.padEnd(16)}${'lines'.padStart(10)}${'branches'.padStart(10)}`);
  for (const folder of [...new Set(files.map(([path]) => folderOf(path)))].sort()) {
    line(
      folder || '*.ts',
      files.filter(([path]) => folderOf(path) === folder).map(([, file]) => file),
    );
  }
  line(
    'all',
    files.map(([, file]) => file),
  );
}

/** Rounded down, so that 100 % means everything. */
function percent(shares: readonly Share[]): string {
  const sum = (pick: (share: Share) => number) => shares.reduce((total, share) => total + pick(share), 0);
  const [hit, all] = [sum((share) => share.hit), sum((share) => share.all)];
  const tenths = all === 0 ? 1000 : Math.floor((hit / all) * 1000);
  return `${(tenths / 10).toFixed(1)} %`.padStart(10);
}

/** Line coverage, by the lines on which a statement begins. */
function lines({ statementMap, s }: FileCoverage): Share {
  const hits = new Map<number, number>();
  for (const [id, { start }] of Object.entries(statementMap)) {
    const line = start.line ?? 0;
    hits.set(line, Math.max(hits.get(line) ?? 0, s[id] ?? 0));
  }
  return { hit: [...hits.values()].filter((count) => count > 0).length, all: hits.size };
}

function branches({ b }: FileCoverage): Share {
  const taken = Object.values(b).flat();
  return { hit: taken.filter((count) => count > 0).length, all: taken.length };
}

/** Missed branches as `line: path of branch`. A missing `else` has the line of its `if`. */
function missedBranches({ branchMap, b }: FileCoverage): string[] {
  return Object.entries(branchMap).flatMap(([id, { type, loc, locations }]) =>
    (b[id] ?? []).flatMap((count, way) => {
      const line = locations[way]?.start.line ?? loc.start.line ?? 0;
      return count > 0 ? [] : [`${line}: way ${way + 1} of ${locations.length}, ${type}`];
    }),
  );
}

measureCoverage(process.argv.slice(2));
