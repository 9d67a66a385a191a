import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { createProject } from '@/lib/testing/world';
import { CORPUS_START, numberOf, writeCorpus } from './corpus';
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
  test.each([
    ['{service="compute"}', '1 2 3 4'],
    ['{service!="compute", stream=~".+"}', '5 6 7 8 9 10 11'],
    ['{service=~"compute|lb"}', '1 2 3 4 8 9 10'],
    ['{service!~"compute|lb", stream=~".+"}', '5 6 7 11'],
    ['{service=~"comp"}', ''],
    ['{service=~"comp.*"}', '1 2 3 4'],
    ['{service=~"COMPUTE"}', ''],
    ['{service=~"(?i)COMPUTE"}', '1 2 3 4'],
    ['{absent="", service="lb"}', '8 9 10'],
    ['{absent!="", service="lb"}', ''],
    ['{absent=~".*", service="lb"}', '8 9 10'],
    ['{resource_name="web", level="info"}', '1 2 3 4'],
    ['{resource_name="web", level="warn"}', ''],
    ['{level="warn"}', '5 6 7'],
    ['{stream="access"}', '8 9 10'],
    ['{resource_id="r1"} |= "GET"', '1 3 4'],
    ['{resource_id="r1"} != "GET"', '2'],
    ['{resource_id="r1"} |= `GET`', '1 3 4'],
    ['{stream=~".+"} |= "GET"', '1 3 4 8 10'],
    ['{stream=~".+"} |= "get"', ''],
    ['{stream=~".+"} |~ "(?i)get"', '1 3 4 8 10'],
    ['{stream=~".+"} |~ "status=(200|201)"', '1 2 4'],
    ['{stream=~".+"} !~ "GET|POST"', '5 6 7 11'],
    ['{stream=~".+"} |~ "^not"', '7'],
    ['{stream=~".+"} |~ "json$"', '7'],
    ['{stream=~".+"} |~ "^json"', ''],
    ['{stream=~".+"} |= "GET" |= "/a"', '1 4 8'],
    ['{stream=~".+"} |= "GET" != "/a"', '3 10'],
    ['{stream=~".+"} |= "POST" or "500"', '2 3 9 10'],
    ['{stream=~".+"} != "POST" or "GET"', '5 6 7 11'],
    ['{stream=~".+"} |~ "P.ST" or "5.0"', '2 3 9 10'],
    ['{stream=~".+"} |= ""', '1 2 3 4 5 6 7 8 9 10 11'],
    ['{stream=~".+"} |= "boom \\"x\\""', ''],
    ['{stream=~".+"} |= "boom \\\\\\"x"', '3'],
    ['{stream=~".+"} |= `boom \\"x`', '3'],
    ['{stream=~".+"} |= "\\x47ET"', '1 3 4 8 10'],
    ['{stream=~".+"} |= "\\u0047ET"', '1 3 4 8 10'],
    ['{service="lb"} # a comment\n|= "GET"', '8 10'],
    ['({service="lb"} |= "GET")', '8 10'],
    ['{service="lb"} |~ "10\\\\.0\\\\.0\\\\.2"', '9'],
  ])('%s finds %s', async (query, expected) => expect(await found(query)).toBe(expected));
});

describe('parsers and label filters', () => {
  test.each([
    ['{service="compute"} | logfmt | status=500', '3'],
    ['{service="compute"} | logfmt | status="500"', '3'],
    ['{service="compute"} | logfmt | status==500', '3'],
    ['{service="compute"} | logfmt | status!=500', '1 2 4'],
    ['{service="compute"} | logfmt | status>=201', '2 3'],
    ['{service="compute"} | logfmt | status>201', '3'],
    ['{service="compute"} | logfmt | status<201', '1 4'],
    ['{service="compute"} | logfmt | status<=201', '1 2 4'],
    ['{service="compute"} | logfmt | method="GET" and status>=500', '3'],
    ['{service="compute"} | logfmt | method="GET", status>=500', '3'],
    ['{service="compute"} | logfmt | method="POST" or status>=500', '2 3'],
    ['{service="compute"} | logfmt | method="POST" or method="GET" and status=500', '2 3'],
    ['{service="compute"} | logfmt | (method="POST" or method="GET") and status=200', '1 4'],
    ['{service="compute"} | logfmt | method=~"P.*"', '2'],
    ['{service="compute"} | logfmt | method!~"P.*"', '1 3 4'],
    ['{service="compute"} | logfmt | method!="GET"', '2'],
    ['{service="compute"} | logfmt | path="/c d"', '3'],
    ['{service="compute"} | logfmt | msg="boom \\"x\\""', '3'],
    ['{service="compute"} | logfmt | msg=""', '1 2 4'],
    ['{service="compute"} | logfmt | took>500ms', '2 3'],
    ['{service="compute"} | logfmt | took>=1m', '3'],
    ['{service="compute"} | logfmt | took<10ms', '1'],
    ['{service="compute"} | logfmt | size>2MB', '2 3'],
    ['{service="compute"} | logfmt | size<=2KB', '1 4'],
    ['{service="compute"} | logfmt | size=1KB', '1'],
    ['{service="compute"} | logfmt | level_extracted="error"', '3'],
    ['{service="compute"} | logfmt | level="error"', ''],
    ['{service="compute"} | logfmt | absent=5', ''],
    ['{service="compute"} | logfmt | absent=""', '1 2 3 4'],
    ['{service="compute"} | logfmt verb="method" | verb="POST"', '2'],
    ['{service="compute"} | logfmt verb="method" | method="POST"', ''],
    ['{service="compute"} | logfmt method, status | status=500 | method="GET"', '3'],
    ['{service="compute"} | logfmt --strict | status=500', '3'],
    ['{service="compute"} | logfmt | method="GET" | ms>15', '3 4'],
    ['{service="database"} | json', '5 6 7'],
    ['{service="database"} | json | __error__=""', '5 6'],
    ['{service="database"} | json | __error__!=""', '7'],
    ['{service="database"} | json | __error__="JSONParserErr"', '7'],
    ['{service="database"} | json | req_id=7', '5 7'],
    ['{service="database"} | json | __error__="" | req_id=7', '5'],
    ['{service="database"} | json | req_path="/r"', '6'],
    ['{service="database"} | json | ok="true"', '5'],
    ['{service="database"} | json | dur="1.50"', '5'],
    ['{service="database"} | json | dur>2', '6 7'],
    ['{service="database"} | json | User_Agent="curl"', '6'],
    ['{service="database"} | json | req_tags!=""', ''],
    ['{service="database"} | json | none!=""', ''],
    ['{service="database"} | json | level_extracted="error"', '6'],
    ['{service="database"} | json id="req.id" | id=8', '6 7'],
    ['{service="database"} | json tag="req.tags[1]" | tag="y"', '5'],
    ['{service="database"} | json tags="req.tags" | tags="[\\"x\\",\\"y\\"]"', '5'],
    ['{service="database"} | json ua="[\\"User-Agent\\"]" | ua="curl"', '6'],
    ['{service="database"} | json a="absent.path" | a!=""', ''],
    ['{service="lb"} | pattern "<ip> - \\"<method> <path> <_>\\" <status> <size>" | status>=400', '9 10'],
    ['{service="lb"} | pattern "<ip> - \\"<method> <path> <_>\\" <status> <size>" | ip="10.0.0.1"', '8 10'],
    ['{service="lb"} | pattern "<ip> - \\"<method> <_>" | method="POST"', '9'],
    ['{service="lb"} | pattern "<_> HTTP/1.1\\" <rest>" | rest="404 64"', '9'],
    ['{service="lb"} | pattern "x<ip> " | ip!=""', ''],
    ['{service="lb"} | regexp "(?P<method>GET|POST) (?P<path>\\\\S+)" | method="POST"', '9'],
    ['{service="lb"} | regexp "(?P<method>GET|POST) (?P<path>\\\\S+)" | path="/c"', '10'],
    ['{service="lb"} | regexp "(?P<none>zzz)" | none=""', '8 9 10'],
    ['{service="lb"} | resource_name="front"', '8 9 10'],
    ['{service="lb"} | resource_name="web"', ''],
    ['{service="compute"} | logfmt | method > 5', '1 2 3 4'],
    ['{service="compute"} | logfmt | method > 5 | __error__=""', ''],
    ['{service="compute"} | logfmt | drop status | status=500', ''],
    ['{service="compute"} | logfmt | drop status="500" | status=~"..."', '1 2 4'],
    ['{service="compute"} | logfmt | keep method | status=""', '1 2 3 4'],
    ['{service="compute"} | logfmt | keep status | status=500', '3'],
    ['{service="compute"} | logfmt | label_format code=status | code=500', '3'],
    ['{service="compute"} | logfmt | label_format code=status | status=~".+"', ''],
    ['{service="compute"} | logfmt | label_format both="{{.method}}-{{.status}}" | both="POST-201"', '2'],
    ['{service="compute"} | logfmt | line_format "{{.path}}" |= "/c"', '3'],
    ['{service="compute"} | line_format "{{.resource_name}}" |= "level"', ''],
    ['{service="compute"} |= "GET" | line_format "x" |= "GET"', ''],
  ])('%s finds %s', async (query, expected) => expect(await found(query)).toBe(expected));
});

describe('formats', () => {
  const lb = '{service="lb"} | pattern "<ip> - \\"<method> <path> <_>\\" <status> <size>" | status=404';
  test.each([
    [`${lb} | line_format "{{.method}} {{.path}}"`, 'POST /b'],
    [`${lb} | line_format "{{ .method | lower }}"`, 'post'],
    [`${lb} | line_format "{{ .method | ToLower | upper }}"`, 'POST'],
    [`${lb} | line_format "{{ lower .method }}"`, 'post'],
    [`${lb} | line_format "[{{ .absent }}]"`, '[]'],
    [`${lb} | line_format "{{ .absent | default \`none\` }}"`, 'none'],
    [`${lb} | line_format "{{ .ip | replace \`.\` \`-\` }}"`, '10-0-0-2'],
    [`${lb} | line_format "{{ .ip | trunc 2 }}"`, '10'],
    [`${lb} | line_format "{{ .ip | trunc -3 }}"`, '0.2'],
    [`${lb} | line_format "{{ .ip | trimPrefix \`10.\` }}"`, '0.0.2'],
    [`${lb} | line_format "{{ .ip | trimSuffix \`.2\` }}"`, '10.0.0'],
    [`${lb} | line_format "{{__line__}}!"`, '10.0.0.2 - "POST /b HTTP/1.1" 404 64!'],
    [`${lb} | line_format "a" | line_format "{{__line__}}b"`, 'ab'],
    [`${lb} | label_format ip="{{.ip}}x" | line_format "{{.ip}}"`, '10.0.0.2x'],
    [`${lb} | line_format "\\x1b[31mred\\x1b[0m" | decolorize`, 'red'],
  ])('%s gives %s', async (query, expected) => expect(await texts(query)).toEqual([expected]));

  test('lines are returned with the labels that they have after the pipeline', async () => {
    const [stream] = await lines(`${lb} | keep service, status | label_format code=status`);
    expect(stream?.labels).toEqual({ service: 'lb', code: '404' });
  });
});

/** In the minute (12:00:00, 12:01:00]: two lines of each of web, db and front, and one of the audit. */
describe('metric queries', () => {
  const pattern = 'pattern "<ip> - \\"<method> <path> <_>\\" <status> <size>"';
  test.each([
    ['sum(count_over_time({stream=~".+"}[1m]))', '{}:7'],
    [
      'sum by (service) (count_over_time({stream=~".+"}[1m]))',
      'service=compute:2 service=database:2 service=lb:2 service=audit:1',
    ],
    [
      'sum(count_over_time({stream=~".+"}[1m])) by (service)',
      'service=compute:2 service=database:2 service=lb:2 service=audit:1',
    ],
    ['sum by (level) (count_over_time({stream=~".+"}[1m]))', 'level=info:5 level=warn:2'],
    [
      'sum without (project, resource_id, resource_name, level, stream) (count_over_time({service="lb"}[1m]))',
      'service=lb:2',
    ],
    ['sum by (absent) (count_over_time({stream=~".+"}[1m]))', '{}:7'],
    ['count(count_over_time({stream=~".+"}[1m]))', '{}:4'],
    ['max(count_over_time({stream=~".+"}[1m]))', '{}:2'],
    ['min(count_over_time({stream=~".+"}[1m]))', '{}:1'],
    ['avg(count_over_time({stream=~".+"}[1m]))', '{}:1.75'],
    ['stddev(count_over_time({service=~"lb|database"}[1m]))', '{}:0'],
    ['stdvar(count_over_time({service=~"lb|audit"}[1m]))', '{}:0.25'],
    ['sum(rate({service="lb"}[1m]))', '{}:0.03333333333333333'],
    ['sum(rate({service="lb"}[2s] offset 58s))', '{}:1'],
    ['sum(count_over_time({service="lb"}[1m] offset 10s))', '{}:2'],
    ['sum(count_over_time({service="lb"}[58s]))', ''],
    ['sum(count_over_time({service="lb"}[59s]))', '{}:1'],
    ['sum(bytes_over_time({service="audit"}[1m]))', '{}:20'],
    ['sum(bytes_rate({service="audit"}[10s] offset 50s))', '{}:2'],
    ['sum(count_over_time({service="compute"} |= "GET" [1m]))', '{}:1'],
    ['sum(count_over_time({service="compute"}[1m] |= "GET"))', '{}:1'],
    ['sum by (method) (count_over_time({service="compute"} | logfmt [1m]))', 'method=POST:1 method=GET:1'],
    [`sum by (status) (count_over_time({service="lb"} | ${pattern} [1m]))`, 'status=200:1 status=404:1'],
    ['sum(sum_over_time({service="compute"} | logfmt | unwrap ms [1m]))', '{}:130'],
    ['sum(avg_over_time({service="compute"} | logfmt | unwrap ms [1m]))', '{}:130'],
    ['avg_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:65'],
    ['max_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:100'],
    ['min_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:30'],
    ['first_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:30'],
    ['last_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:100'],
    ['stddev_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:35'],
    ['stdvar_over_time({service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:1225'],
    ['quantile_over_time(0.5, {service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:65'],
    ['quantile_over_time(1, {service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:100'],
    ['quantile_over_time(0, {service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:30'],
    ['quantile_over_time(0.25, {service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:47.5'],
    ['quantile_over_time(2, {service="compute"} | logfmt | unwrap ms [1m]) by (service)', 'service=compute:+Inf'],
    ['max_over_time({service="compute"} | logfmt | unwrap duration(took) [1m]) by (service)', 'service=compute:90'],
    [
      'max_over_time({service="compute"} | logfmt | unwrap duration_seconds(took) [1m]) by (service)',
      'service=compute:90',
    ],
    ['max_over_time({service="compute"} | logfmt | unwrap bytes(size) [1m]) by (service)', 'service=compute:20000000'],
    ['sum(rate({service="compute"} | logfmt | unwrap ms [1m]))', '{}:2.166666666666667'],
    ['sum(sum_over_time({service="compute"} | logfmt | unwrap absent [1m]))', ''],
    ['sum(sum_over_time({service="compute"} | logfmt | unwrap method | __error__="" [1m]))', ''],
    ['sum(sum_over_time({service="compute"} | logfmt | unwrap ms | ms > 50 [1m]))', '{}:100'],
    ['sum(sum_over_time({service="database"} | json | __error__="" | unwrap dur [1m]))', '{}:3.75'],
    ['topk(1, sum by (method) (sum_over_time({service="compute"} | logfmt | unwrap ms [1m])))', 'method=GET:100'],
    ['bottomk(1, sum by (method) (sum_over_time({service="compute"} | logfmt | unwrap ms [1m])))', 'method=POST:30'],
    [
      'topk(5, sum by (method) (sum_over_time({service="compute"} | logfmt | unwrap ms [1m])))',
      'method=GET:100 method=POST:30',
    ],
    [
      'topk(1, sum by (service, level) (count_over_time({service=~"lb|audit"}[1m]))) by (level)',
      'level=info,service=lb:2',
    ],
    [
      'sort(sum by (method) (sum_over_time({service="compute"} | logfmt | unwrap ms [1m])))',
      'method=POST:30 method=GET:100',
    ],
    [
      'sort_desc(sum by (method) (sum_over_time({service="compute"} | logfmt | unwrap ms [1m])))',
      'method=GET:100 method=POST:30',
    ],
    ['absent_over_time({service="compute"}[1m])', ''],
    ['absent_over_time({service="gateway", level="info"}[1m])', 'level=info,service=gateway:1'],
    [
      'label_replace(sum by (service) (count_over_time({service="lb"}[1m])), "s", "x-$1", "service", "(.).*")',
      's=x-l,service=lb:2',
    ],
    [
      'label_replace(sum by (service) (count_over_time({service="lb"}[1m])), "s", "$1", "service", "z(.)")',
      'service=lb:2',
    ],
    [
      `label_replace(sum by (service) (count_over_time({service="lb"}[1m])), "s", "$\{first}!", "service", "(?P<first>.).*")`,
      's=l!,service=lb:2',
    ],
  ])('%s is %s', async (query, expected) => {
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
  const count = (service: string) => `sum(count_over_time({service="${service}"}[1m]))`;
  const by = 'sum by (service) (count_over_time({stream=~".+"}[1m]))';
  test.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 2 - 3', '5'],
    ['2 ^ 3 ^ 2', '512'],
    ['2 * 3 ^ 2', '18'],
    ['8 / 4 / 2', '1'],
    ['7 % 4', '3'],
    ['-1 * 2', '-2'],
    ['1 / 0', 'NaN'],
    ['1 > 2', '0'],
    ['3 > bool 2', '1'],
    ['1 + 2 == 3', '1'],
    ['1e3 + 0.5', '1000.5'],
    ['vector(5)', '{}:5'],
    ['vector(5) + 1', '{}:6'],
    [`${count('lb')} + ${count('audit')}`, '{}:3'],
    [`${count('lb')} - ${count('audit')} * 2`, '{}:0'],
    [`${count('lb')} / ${count('audit')}`, '{}:2'],
    [`${count('lb')} / 0`, '{}:NaN'],
    [`2 ^ ${count('lb')}`, '{}:4'],
    [`${count('lb')} > 1`, '{}:2'],
    [`${count('lb')} > 2`, ''],
    [`${count('lb')} > bool 2`, '{}:0'],
    [`3 > ${count('lb')}`, '{}:2'],
    [`${count('lb')} == ${count('compute')}`, '{}:2'],
    [`${count('lb')} != ${count('compute')}`, ''],
    [`${count('lb')} >= bool ${count('audit')}`, '{}:1'],
    [`${count('gateway')} or vector(0)`, '{}:0'],
    [`${count('lb')} or vector(0)`, '{}:2'],
    [`${count('lb')} and vector(0)`, '{}:2'],
    [`${count('lb')} unless vector(0)`, ''],
    [`${by} > 1`, 'service=compute:2 service=database:2 service=lb:2'],
    [`${by} == 1`, 'service=audit:1'],
    [`${by} * 10`, 'service=audit:10 service=compute:20 service=database:20 service=lb:20'],
    [`${by} and on(service) (${by} == 1)`, 'service=audit:1'],
    [`${by} unless on(service) (${by} == 2)`, 'service=audit:1'],
    [`${by} / on(service) ${by}`, 'service=audit:1 service=compute:1 service=database:1 service=lb:1'],
    [`${by} / ignoring(level) sum by (service, level) (count_over_time({service="lb"}[1m]))`, 'service=lb:1'],
    [`(${by} == 1) or (${by} == 2)`, 'service=audit:1 service=compute:2 service=database:2 service=lb:2'],
    ['100 * (2 + 1) - 1', '299'],
  ])('%s is %s', async (query, expected) => expect(sorted(await numbers(query))).toBe(sorted(expected)));

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
