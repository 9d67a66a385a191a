import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { serve } from '@/lib/core/api/kernel';
import { findUpgrade } from '@/lib/core/net/upgrades';
import { authenticate } from '@/lib/people/identity/authenticate';
import { testDatabase } from '@/lib/testing/database';
import { createProject, type TestProject } from '@/lib/testing/world';
import { CORPUS_START, writeCorpus } from './corpus';
import { logEndpoints } from './endpoints';
import { serveLokiTail } from './tail-upgrade';
import { writeLogs } from './write';

testDatabase();

const isMissing = spawnSync('logcli', ['--version']).error !== undefined;

/* Grafana's own client as the judge, where it is installed. */
describe.skipIf(isMissing)(`logcli${isMissing ? ' (skipped: logcli is not on PATH)' : ''}`, () => {
  const app = serve(logEndpoints, authenticate);
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  let project: TestProject;
  let address = '';
  serveLokiTail((request) => app.fetch(request));
  server.on('upgrade', (request, socket, head) => findUpgrade(request.url ?? '')?.(request, socket, head));
  beforeAll(async () => {
    project = await createProject('logcli');
    await writeCorpus(project.id);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const bound = server.address();
    if (typeof bound === 'object' && bound) address = `http://127.0.0.1:${bound.port}/api/v1/observability`;
  });
  afterAll(() => server.close());

  const at = (seconds: number) => new Date(CORPUS_START + seconds * 1000).toISOString();

  const common = () => ['--quiet', `--addr=${address}`, `--bearer-token=${project.users.reader.token}`];
  /** Its output, by lines. */
  async function logcli(...args: string[]): Promise<string[]> {
    const { stdout } = await promisify(execFile)('logcli', [...common(), ...args]);
    return stdout.trim().split('\n');
  }
  const span = [`--from=${at(0)}`, `--to=${at(100)}`];

  test('prints the lines of a query, oldest or newest first', async () => {
    const query = ['query', ...span, '--output=raw', '{service="lb"} |= "GET"'];
    const lines = ['10.0.0.1 - "GET /a HTTP/1.1" 200 512', '10.0.0.1 - "GET /c HTTP/1.1" 500 1024'];
    expect(await logcli(...query, '--forward')).toEqual(lines);
    expect(await logcli(...query)).toEqual(lines.toReversed());
  });

  test('pages through more lines than a batch holds', async () => {
    const lines = await logcli(
      'query',
      ...span,
      '--output=raw',
      '--forward',
      '--batch=2',
      '--limit=4',
      '{service="compute"}',
    );
    expect(lines.map((line) => /path=(\S+)/.exec(line)?.[1])).toEqual(['/a', '/b', '"/c', '/a']);
  });

  test('prints the numbers of a metric query, over time and at one moment', async () => {
    const range = await logcli(
      'query',
      ...span,
      '--step=30s',
      'sum by (service) (count_over_time({service="lb"}[30s]))',
    );
    expect(JSON.parse(range.join(''))).toMatchObject([
      {
        metric: { service: 'lb' },
        values: [
          [CORPUS_START / 1000 + 30, '2'],
          [CORPUS_START / 1000 + 90, '1'],
        ],
      },
    ]);
    const instant = await logcli('instant-query', `--now=${at(60)}`, 'sum(count_over_time({service="lb"}[1m]))');
    expect(JSON.parse(instant.join(''))).toMatchObject([{ metric: {}, value: [CORPUS_START / 1000 + 60, '2'] }]);
  });

  test('prints labels, their values and series', async () => {
    expect(await logcli('labels', ...span)).toEqual([
      'level',
      'project',
      'resource_id',
      'resource_name',
      'service',
      'stream',
    ]);
    expect(await logcli('labels', ...span, 'service')).toEqual(['compute', 'database', 'lb']);
    expect(await logcli('series', ...span, '{service="lb"}')).toEqual([
      expect.stringMatching(/^\{.*resource_name="front".*\}$/),
    ]);
  });

  test('follows new lines with --tail', async () => {
    const labels = {
      service: 'compute',
      resource_id: 'r7',
      resource_name: 'followed',
      level: 'info',
      stream: 'stdout',
    } as const;
    const write = (text: string) => writeLogs([{ project_id: project.id, labels, at: new Date(), text }]);
    await write('before');
    const query = ['query', '--tail', '--output=raw', '{resource_id="r7"} !~ "skip"'];
    const following = spawn('logcli', [...common(), ...query], { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    following.stdout.on('data', (bytes) => {
      printed += bytes;
    });
    const until = (text: string) => vi.waitFor(() => expect(printed).toBe(text), { timeout: 10_000, interval: 10 });
    await until('before\n');
    await write('skip this');
    await write('after');
    await until('before\nafter\n');
    following.kill();
    await once(following, 'exit');
  });

  test('prints why a query is refused', async () => {
    await expect(logcli('query', ...span, '{service="lb"} | unpack')).rejects.toThrow('parse error at line 1, col 18');
  });
});
