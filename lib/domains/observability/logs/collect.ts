import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/domain';
import type { LogSource } from '@/lib/core/domains/logs';
import type { Watch } from '@/lib/core/domains/watch';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { deletedAmong } from '@/lib/core/resources/strays';
import { engineOf } from '@/lib/engines/engines';
import { readBeforeRemoval } from '@/lib/engines/last-lines';
import type { LogPage } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import type { StreamLabels } from './labels';
import { levelOf } from './level';
import { progressOf } from './progress';
import { type LogEntry, writeLogs } from './write';

/** Half of the second within which a line should be found. */
const COLLECT_MS = 500;
const LINES_A_PAGE = 2000;
/** Pages of one writer in a row; then others have their turn. */
const MOST_PAGES = 5;
/** Pages of a writer that is being removed: its log holds some 10 MB, of which a page has 256 KiB. */
const MOST_LAST_PAGES = 50;
/** Writers that are read at the same time: each page is one statement. */
const AT_ONCE = 4;

/** Collects the lines of a cell's service processes and consoles, for its agent. */
export const logsWatch = (cell: string, sources: readonly LogSource[]): Watch => ({
  join: none,
  looks: [{ name: 'collecting log lines', every_ms: COLLECT_MS, begin: () => new LogCollector(cell, sources) }],
  changed: none,
  troubles: none,
  stop: none,
});

/** `project_id` is null where the source tells whose each line is. */
type Writer = { id: string; project_id: string | null; resource_id: string; resource_name: string } & Pick<
  LogSource,
  'service' | 'from' | 'attribute' | 'seen'
>;

const PREFIX = 'writer:';

/** Reads what writers wrote since the last look. Lines and cursor are stored together, so that a crash doubles no line. */
export class LogCollector {
  /** By writer. */
  private readonly cursors = new Map<string, string | null>();
  private readonly failing = new Set<string>();
  private readonly leave = readBeforeRemoval((id) => this.finish(id));

  constructor(
    private readonly cell: string,
    private readonly sources: readonly LogSource[],
  ) {}

  async end(): Promise<void> {
    this.leave();
  }

  async look(): Promise<void> {
    const writers = await this.writers();
    for (let first = 0; first < writers.length; first += AT_ONCE) {
      await Promise.all(writers.slice(first, first + AT_ONCE).map((writer) => this.collectOrWarn(writer)));
    }
  }

  /** Reads the rest of a log whose writer has ended. */
  private async finish(id: string): Promise<void> {
    const writer = (await this.writers()).find((one) => one.id === id);
    if (!writer) return;
    let hasMoved = true;
    for (let pages = 0; hasMoved && pages < MOST_LAST_PAGES; pages += 1)
      ({ hasMoved } = await this.collectPage(writer));
    this.cursors.delete(id);
    this.failing.delete(id);
  }

  private async writers(): Promise<Writer[]> {
    const rows = await Promise.all(
      this.sources.map(async ({ service, from, writers, attribute, seen }) =>
        (await query<Omit<Writer, 'service' | 'from' | 'attribute' | 'seen'>>(writers(this.cell))).map((row) => ({
          ...row,
          service,
          from,
          ...(attribute && { attribute }),
          ...(seen && { seen }),
        })),
      ),
    );
    return rows.flat();
  }

  /** A writer that cannot be read keeps no other from being read. */
  private async collectOrWarn(writer: Writer): Promise<void> {
    const { id } = writer;
    try {
      await this.collect(writer);
      this.failing.delete(id);
    } catch (error) {
      this.cursors.delete(id);
      if (!this.failing.has(id)) log.warn({ err: error, writer: id }, 'log lines of a resource could not be collected');
      this.failing.add(id);
    }
  }

  private async collect(writer: Writer): Promise<void> {
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      if ((await this.collectPage(writer)).lines < LINES_A_PAGE) return;
    }
  }

  /** Stores the next lines of a writer. @returns how many, and whether the reading is further than before */
  private async collectPage(writer: Writer): Promise<{ lines: number; hasMoved: boolean }> {
    const source = `${PREFIX}${writer.id}`;
    const before = this.cursors.get(writer.id) ?? (await progressOf(source));
    const page = await this.read(writer, before);
    if (page.cursor === before) {
      this.cursors.set(writer.id, before);
      return { lines: 0, hasMoved: false };
    }
    const { project_id } = writer;
    const lost = new Map(page.dropped > 0 && project_id !== null ? [[project_id, page.dropped]] : []);
    const entries = project_id === null ? await attributed(writer, page) : entriesOf({ ...writer, project_id }, page);
    const isStored = await writeLogs(entries, { source, before, after: page.cursor }, lost);
    if (isStored) {
      this.cursors.set(writer.id, page.cursor);
      writer.seen?.(
        writer.id,
        page.lines.map(({ message }) => message),
      );
      return { lines: page.lines.length, hasMoved: true };
    }
    // Another agent of this cell was faster: its progress is read anew.
    this.cursors.delete(writer.id);
    return { lines: 0, hasMoved: true };
  }

  private read({ id, from }: Writer, cursor: string | null): Promise<LogPage> {
    const { services, compute } = engineOf(this.cell);
    return from === 'process'
      ? services.readLog(id, cursor, LINES_A_PAGE)
      : compute.readConsole(id, cursor, LINES_A_PAGE);
  }
}

/** Lines of a writer of several projects. */
async function attributed({ service, attribute }: Writer, { lines }: LogPage): Promise<LogEntry[]> {
  const owners = (await attribute?.(lines.map(({ message }) => message))) ?? [];
  return lines.flatMap(({ at, stream }, index) => {
    const owner = owners[index];
    if (!owner) return [];
    const { project_id, resource_id, resource_name, level, text } = owner;
    return [{ project_id, labels: { service, resource_id, resource_name, level, stream }, at, text }];
  });
}

function entriesOf(writer: Writer & { project_id: string }, { lines, dropped }: LogPage): LogEntry[] {
  const { project_id, service, resource_id, resource_name } = writer;
  const entry = (labels: Pick<StreamLabels, 'level' | 'stream'>, at: Date, text: string): LogEntry => ({
    project_id,
    labels: { service, resource_id, resource_name, ...labels },
    at,
    text,
  });
  const entries = lines.map(({ at, stream, message }) => entry({ level: levelOf(message), stream }, at, message));
  if (dropped === 0) return entries;
  const text = `${dropped === 1 ? '1 line was' : `${dropped} lines or more were`} lost: they were written faster than they were collected.`;
  return [entry({ level: 'warn', stream: 'platform' }, lines[0]?.at ?? new Date(), text), ...entries];
}

/** Forgets how far the logs of deleted resources were read. */
export const forgetCursors: PeriodicJob = {
  name: 'forget cursors of deleted resources',
  every_ms: 60 * 60_000,
  async run() {
    const rows = await query<{ id: string }>(sql`SELECT substr(source, ${PREFIX.length + 1}::int) AS id FROM log_cursors
      WHERE starts_with(source, ${PREFIX}::text) AND updated_at < platform_now() - interval '1 hour'`);
    const deleted = [...(await deletedAmong(rows.map(({ id }) => id)))].map((id) => `${PREFIX}${id}`);
    await query(sql`DELETE FROM log_cursors WHERE source = ANY (${deleted}::text[])`);
  },
};
