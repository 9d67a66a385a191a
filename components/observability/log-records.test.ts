import { expect, test } from 'vitest';
import { fieldsOf, levelOf, recordsOf, shownLabels, sourceOf, without } from './log-records';

const streams = [
  {
    stream: { service: 'compute', level: 'info' },
    values: [
      ['1772366461000000003', 'third'],
      ['1772366461000000001', 'first'],
    ] as const,
  },
  { stream: { service: 'audit', level: 'warn' }, values: [['1772366461000000002', 'second']] as const },
];

test('lines of all streams are in order of time to the nanosecond, in both directions', () => {
  expect(recordsOf(streams, 'forward').map(({ line }) => line)).toEqual(['first', 'second', 'third']);
  expect(recordsOf(streams, 'backward').map(({ line }) => line)).toEqual(['third', 'second', 'first']);
});

test('the same line twice at one moment is two records', () => {
  const twice = [{ stream: {}, values: [['1', 'same'] as const, ['1', 'same'] as const] }];
  const records = recordsOf(twice, 'forward');
  expect(new Set(records.map(({ key }) => key)).size).toBe(2);
  expect(without(records, records.slice(0, 1))).toEqual(records.slice(1));
});

test.each([
  [
    '{"user":{"name":"ada"},"status":409,"ok":false,"none":null,"list":[1]}',
    'json',
    'user_name=ada status=409 ok=false',
  ],
  ['level=warn msg="no \\"disk\\"" http.code=503', 'logfmt', 'level=warn msg=no "disk" http_code=503'],
])('the fields of %s are read as by the stage', (line, stage, fields) => {
  const found = fieldsOf(line);
  expect(found?.stage).toBe(stage);
  expect(found?.fields.map(({ name, value }) => `${name}=${value}`).join(' ')).toBe(fields);
});

test.each(['Started PostgreSQL 18.', 'the key=value of a sentence', '{not json', '[1,2]', ''])(
  'a line of plain text has no fields: %s',
  (line) => {
    expect(fieldsOf(line)).toBeUndefined();
  },
);

test.each([
  ['error', 'error'],
  ['CRITICAL', 'error'],
  ['warning', 'warn'],
  ['notice', 'info'],
  ['trace', 'debug'],
  [undefined, 'unknown'],
] as const)('the level %s is %s', (label, level) => {
  expect(levelOf(label)).toBe(level);
});

test('labels of a line start with its source, without the project', () => {
  const labels = { zone: 'a', level: 'info', project: 'p', service: 'compute', resource_id: 'i', stream: 'console' };
  expect(shownLabels(labels).map(({ name }) => name)).toEqual(['service', 'resource_id', 'level', 'stream', 'zone']);
  expect(sourceOf(labels).map(({ label }) => label)).toEqual(['service', 'resource_id', 'stream']);
  expect(sourceOf({ ...labels, service: 'audit' }).map(({ label }) => label)).toEqual(['service', 'stream']);
});
