import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { createProject } from '@/lib/testing/world';
import { CORPUS_START, numberOf, writeCorpus } from './corpus';
import { formatQueries, lb, metricQueries, operatorQueries, parserQueries, selectorQueries } from './corpus-queries';
import { formatNumber } from './logql/units';
import { evaluate, findLines, type Reader, readQuery } from './query';

testDatabase();

let reader: Reader;
beforeAll(async () => {
  const { id } = await createProject('logql');
  await writeCorpus(id);
  reader = { project_id: id, audit: true };
});

const signal = new AbortController().signal;
const at = (seconds: number) => (CORPUS_START + seconds * 1000) * 1000;

async function lines(text: string) {
  const query = readQuery(text, reader);
  if (query.kind !== 'log') throw new Error('not a log query');
  const options = { span: { from_us: at(0), to_us: at(100) }, limit: 100, direction: 'forward', signal } as const;
  return (await findLines(query, reader, options)).result;
}

/** The numbers of the lines that a query finds. */
async function found(text: string): Promise<string> {
  const numbers = (await lines(text)).flatMap(({ entries }) => entries.map(({ at_us }) => numberOf(at_us)));
  return numbers.sort((one, other) => one - other).join(' ');
}

/** What a query makes of its lines: their new text, in order of time. */
async function texts(text: string): Promise<string[]> {
  const entries = (await lines(text)).flatMap((stream) => stream.entries);
  return entries.sort((one, other) => one.at_us - other.at_us).map(({ line }) => line);
}

/** `{a="b"} 1` for each series, at a minute after the start. */
async function numbers(text: string, seconds = 60): Promise<string> {
  const query = readQuery(text, reader);
  if (query.kind === 'log') throw new Error('not a metric query');
  const { result } = await evaluate(query, reader, { steps: [at(seconds)], signal });
  if (result.kind === 'scalar') return result.values.map(formatNumber).join(' ');
  const series = result.series.flatMap(({ labels, values: [value] }) => {
    const own = Object.entries(labels).filter(([name]) => name !== 'project');
    const text = own
      .map(([name, of]) => `${name}=${of}`)
      .sort()
      .join(',');
    return value === undefined ? [] : [`${text === '' ? '{}' : text}:${formatNumber(value)}`];
  });
  return series.join(' ');
}

const sorted = (text: string) => text.split(' ').sort().join(' ');

describe('selectors and line filters', () => {
  test.each(selectorQueries)('%s finds %s', async (query, expected) => expect(await found(query)).toBe(expected));
});

describe('parsers and label filters', () => {
  test.each(parserQueries)('%s finds %s', async (query, expected) => expect(await found(query)).toBe(expected));
});

describe('formats', () => {
  test.each(formatQueries)('%s gives %s', async (query, expected) => expect(await texts(query)).toEqual([expected]));

  test('lines are returned with the labels that they have after the pipeline', async () => {
    const [stream] = await lines(`${lb} | keep service, status | label_format code=status`);
    expect(stream?.labels).toEqual({ service: 'lb', code: '404' });
  });
});

/** In the minute (12:00:00, 12:01:00]: two lines of each of web, db and front, and one of the audit. */
describe('metric queries', () => {
  test.each(metricQueries)('%s is %s', async (query, expected) => {
    const answer = await numbers(query);
    expect(/^(sort|topk|bottomk)/.test(query) ? answer : sorted(answer)).toBe(
      /^(sort|topk|bottomk)/.test(query) ? expected : sorted(expected),
    );
  });

  test('a line with an error fails a metric query that does not say what to do with it', async () => {
    await expect(numbers('count_over_time({service="database"} | json [2m])', 70)).rejects.toThrow('JSONParserErr');
    expect(await numbers('sum(count_over_time({service="database"} | json | __error__="" [2m]))', 70)).toBe('{}:2');
    await expect(numbers('sum_over_time({service="compute"} | logfmt | unwrap method [1m])')).rejects.toThrow(
      'SampleExtractionErr',
    );
  });

  test('an empty window has no value, and a window is open at its beginning', async () => {
    expect(await numbers('sum(count_over_time({service="compute"}[10s]))', 10)).toBe('{}:1');
    expect(await numbers('sum(count_over_time({service="compute"}[10001ms]))', 10)).toBe('{}:2');
    expect(await numbers('sum(count_over_time({service="compute"}[5s]))', 50)).toBe('');
  });
});

describe('operators', () => {
  test.each(operatorQueries)('%s is %s', async (query, expected) =>
    expect(sorted(await numbers(query))).toBe(sorted(expected)),
  );

  test('series that do not pair one to one are refused', async () => {
    await expect(
      numbers(
        `sum by (level, service) (count_over_time({stream=~".+"}[1m])) / on(level) sum by (level) (count_over_time({stream=~".+"}[1m]))`,
      ),
    ).rejects.toThrow('on()');
  });
});

describe('what is refused, and where', () => {
  test.each([
    ['{}', 1, 2],
    ['{service=""}', 1, 1],
    ['{service=~".*"}', 1, 1],
    ['{service!="x"}', 1, 1],
    ['{service="lb"', 1, 14],
    ['{service="lb"} |', 1, 17],
    ['{service="lb"} | nonsense(x)', 1, 26],
    ['{service="lb"}\n|= "a"\n| unpack', 3, 3],
    ['{service=~"a("}', 1, 11],
    ['{service=~"a)|(b"}', 1, 11],
    ['{service="lb"} |~ "(?<=x)y"', 1, 19],
    ['{service="lb"} |= ip("10.0.0.0/8")', 1, 19],
    ['{service="lb"} |> "<_>x"', 1, 16],
    ['{service="lb"} | pattern "abc"', 1, 26],
    ['{service="lb"} | pattern "<a><b>"', 1, 26],
    ['{service="lb"} | regexp "a(b)"', 1, 25],
    ['{service="lb"} | json a="b["', 1, 25],
    ['{service="lb"} | ip = ip("1.2.3.4")', 1, 18],
    ['{service="lb"} | a="b" or c="d", e="f"', 1, 18],
    ['{service="lb"} | a="b", c="d" or e="f"', 1, 18],
    ['{service="lb"} | line_format "{{ if .a }}x{{ end }}"', 1, 31],
    ['{service="lb"} | line_format "ab{{ .a | env }}"', 1, 33],
    ['{service="lb"} | label_format a=b, a=c', 1, 36],
    ['rate({service="lb"})', 1, 20],
    ['sum_over_time({service="lb"}[1m])', 1, 1],
    ['count_over_time({service="lb"} | unwrap x [1m])', 1, 1],
    ['rate_counter({service="lb"} | unwrap x [1m])', 1, 1],
    ['count_over_time({service="lb"}[1m]) by (a)', 1, 37],
    ['topk(rate({service="lb"}[1m]))', 1, 1],
    ['topk(0, rate({service="lb"}[1m]))', 1, 6],
    ['sum(2, rate({service="lb"}[1m]))', 1, 1],
    ['quantile_over_time({service="lb"} | unwrap x [1m])', 1, 1],
    ['approx_topk(1, rate({service="lb"}[1m]))', 1, 1],
    ['rate({service="lb"}[1m]) / on(a) group_left(b) rate({service="lb"}[1m])', 1, 34],
    ['rate({service="lb"}[1m]) + bool 1', 1, 28],
    ['rate({service="lb"}[1m]) and 1', 1, 26],
    ['rate({service="lb"}[-1m])', 1, 6],
    ['', 1, 1],
  ])('%s', (query, line, column) => {
    expect(() => readQuery(query, reader)).toThrow(`parse error at line ${line}, col ${column}:`);
  });
});
