import { now } from '@/lib/clock';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { settings } from '@/lib/settings';
import { sweepCode } from './code/store';
import { FunctionHost } from './pool/host';

const LOOK_MS = 500;
const TIDY_MS = 2000;
/** Lines are found in the log store within a second. */
const FLUSH_MS = 400;
/** As often as all metrics. */
const SAMPLE_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Code is stored before the row that names it. */
const CODE_GRACE_MS = HOUR_MS;

const watch = (cell: string): Watch => {
  let host: FunctionHost | undefined;
  const functions = () => {
    host ??= new FunctionHost(cell);
    return host;
  };
  return {
    join: none,
    looks: [
      {
        name: 'running functions',
        every_ms: LOOK_MS,
        begin: () => ({ look: () => functions().look(), end: async () => host?.end() }),
      },
      { name: 'tidying up after functions', every_ms: TIDY_MS, begin: () => ({ look: () => functions().tidy() }) },
      {
        name: 'storing lines of functions',
        every_ms: FLUSH_MS,
        begin: () => ({ look: () => functions().flushLines() }),
      },
      { name: 'sampling functions', every_ms: SAMPLE_MS, begin: () => ({ look: () => functions().sample() }) },
      { name: 'removing code that no function has', every_ms: HOUR_MS, begin: () => ({ look: removeCode }) },
    ],
    changed: () => functions().look(),
    troubles: none,
    stop: none,
  };
};

/** The history of invocations has its own length; what waits or runs is never removed. */
const forgetInvocations: PeriodicJob = {
  name: 'forget old invocations',
  every_ms: 10 * 60_000,
  async run() {
    const { functionHistoryDays } = settings();
    await execute(sql`DELETE FROM function_invocations WHERE id IN (SELECT id FROM function_invocations
      WHERE created_at < platform_now() - ${functionHistoryDays}::int * interval '1 day' AND status NOT IN ('queued', 'running') LIMIT 20000)`);
  },
};

/** Of this host's disk. */
const removeCode = () =>
  sweepCode(new Date(now().getTime() - CODE_GRACE_MS), async (sha256s) => {
    const rows = await query<{ code_sha256: string }>(
      sql`SELECT DISTINCT code_sha256 FROM function_versions WHERE code_sha256 = ANY (${[...sha256s]}::text[])`,
    );
    return new Set(rows.map(({ code_sha256 }) => code_sha256));
  });

export const functionsWork: DomainWork = {
  steps: none,
  jobs: [forgetInvocations],
  services: none,
  room: none,
  watch,
};
