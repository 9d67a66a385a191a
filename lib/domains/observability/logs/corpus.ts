import { newId } from '@/lib/core/db/id';
import type { StreamLabels } from './labels';
import { type LogEntry, writeLogs } from './write';

/** The moment that times of the corpus count from. */
export const CORPUS_START = Date.UTC(2026, 2, 1, 12);

const web = { service: 'compute', resource_id: 'r1', resource_name: 'web', level: 'info', stream: 'stdout' } as const;
const db = { service: 'database', resource_id: 'r2', resource_name: 'db', level: 'warn', stream: 'stdout' } as const;
const front = { service: 'lb', resource_id: 'r3', resource_name: 'front', level: 'info', stream: 'access' } as const;
const audit = { service: 'audit', resource_id: 'r4', resource_name: 'key', level: 'info', stream: 'audit' } as const;

/** Lines by number: seconds after the start, stream and text. */
const lines: readonly (readonly [number, StreamLabels, string])[] = [
  [0, web, 'level=info method=GET path=/a status=200 ms=10 size=1KB took=5ms'],
  [10, web, 'level=info method=POST path=/b status=201 ms=30 size=20MB took=1s'],
  [20, web, 'level=error method=GET path="/c d" status=500 ms=100 size=3MB took=1m30s msg="boom \\"x\\""'],
  [70, web, 'level=info method=GET path=/a status=200 ms=20 size=2KB took=20ms'],
  [5, db, '{"level":"warn","dur":1.50,"req":{"path":"/q","id":7,"tags":["x","y"]},"ok":true,"none":null}'],
  [15, db, '{"level":"error","dur":2.25,"req":{"path":"/r","id":8},"ok":false,"User-Agent":"curl"}'],
  [65, db, 'not json'],
  [1, front, '10.0.0.1 - "GET /a HTTP/1.1" 200 512'],
  [2, front, '10.0.0.2 - "POST /b HTTP/1.1" 404 64'],
  [61, front, '10.0.0.1 - "GET /c HTTP/1.1" 500 1024'],
  [3, audit, 'secret.create by ann'],
];

/** The number of a line, from 1, by its time. */
export const numberOf = (at_us: number): number =>
  lines.findIndex(([seconds]) => (CORPUS_START + seconds * 1000) * 1000 === at_us) + 1;

/** Writes the corpus, each line in a write of its own so that it is in many chunks. */
export async function writeCorpus(project_id: string): Promise<void> {
  for (const [seconds, labels, text] of lines) {
    const entry: LogEntry = { project_id, labels, at: new Date(CORPUS_START + seconds * 1000), text };
    await writeLogs([entry], { source: `corpus:${newId()}`, before: null, after: '1' });
  }
}

/** A text that only lines of `writeSecret` hold. */
export const SECRET = 'only-the-victim-reads-this';

/** Writes a line that no query of another project may find. */
export function writeSecret(project_id: string): Promise<unknown> {
  const labels = { ...web, resource_name: SECRET };
  return writeLogs([{ project_id, labels, at: new Date(CORPUS_START + 1000), text: SECRET }]);
}

/** Selectors with which a project tries to find the lines of `writeSecret` in another one. @param own its ID */
export const hostileSelectors = (victim: string, own: string): readonly string[] => [
  `{project="${victim}"}`,
  `{project=~"${victim}|.+"}`,
  `{project!="${own}", service=~".+"}`,
  '{project=~".+"}',
  `{project="${victim}", project="${own}"}`,
  '{service=~".+"} | drop project',
  `{resource_name="${SECRET}"}`,
  `{service="compute"} |= "${SECRET}"`,
  '{service="compute\\" or project=~\\".+"}',
  '{service="compute`} or {project=~`.+"}',
];
