import { expect, test } from 'vitest';
import { equalTo, readSelection, textOf, withFilter, withLabels, withText, writeSelection } from './query-text';

test.each([
  '{service="compute"}',
  '{service=~".+", level!="info"} |= "timeout" | json',
  'sum by (level) (count_over_time({service="audit"} |= "a{b}" [1m]))',
  'rate(nephele_instance_cpu_seconds{resource_name=~"web-.*"}[5m])',
  '{}',
])('a query is written as it was read: %s', (query) => {
  const selection = readSelection(query);
  expect(selection && writeSelection(selection)).toBe(query);
});

test.each(['', 'up', '{service="compute"', '{service}', '{service=compute}', '"{a=\\"b\\"}"'])(
  'a query without a complete selector has no selection: %s',
  (query) => {
    expect(readSelection(query)).toBeUndefined();
  },
);

/** @throws if the query has no selector */
function selectionOf(query: string) {
  const selection = readSelection(query);
  if (!selection) throw new Error(`no selector in ${query}`);
  return selection;
}

test('escaped quotes and raw texts are read', () => {
  const { matchers } = selectionOf('{a="say \\"hi\\"", b=`c:\\d`, c=\'}\'}');
  expect(matchers.map(({ value }) => value)).toEqual(['say "hi"', 'c:\\d', '}']);
});

test('another value for a label replaces the earlier one, and keeps exclusions', () => {
  const selection = selectionOf('{service=~".+", level="info", level!="debug"} | json');
  expect(equalTo(selection, 'level')).toBe('info');
  expect(writeSelection(withLabels(selection, { level: 'error', service: null }))).toBe(
    '{level!="debug", level="error"} | json',
  );
});

test('the text of the first filter is read, replaced and removed; later stages stay', () => {
  const selection = selectionOf('{service="audit"} |= "refused" | json | status >= 400');
  expect(textOf(selection)).toBe('refused');
  expect(writeSelection(withText(selection, 'a "b"'))).toBe('{service="audit"} |= "a \\"b\\"" | json | status >= 400');
  expect(writeSelection(withText(selection, ''))).toBe('{service="audit"} | json | status >= 400');
});

test.each([
  [{ name: 'level', value: 'warn', op: '=' }, '{service="audit", level="warn"} |= "x"'],
  [{ name: 'level', value: 'info', op: '!=' }, '{service="audit", level!="info"} |= "x"'],
  [{ name: 'status', value: '409', op: '=', stage: 'json' }, '{service="audit"} |= "x" | json | status="409"'],
  [{ name: 'status', value: '409', op: '!=' }, '{service="audit"} |= "x" | status!="409"'],
] as const)('the filter %s gives %s', (filter, query) => {
  expect(writeSelection(withFilter(selectionOf('{service="audit"} |= "x"'), filter))).toBe(query);
});

test('a stage that reads fields is added once', () => {
  const once = withFilter(selectionOf('{service="audit"}'), { name: 'a', value: '1', op: '=', stage: 'json' });
  const twice = withFilter(once, { name: 'b', value: '| json', op: '!=', stage: 'json' });
  expect(writeSelection(twice)).toBe('{service="audit"} | json | a="1" | b!="| json"');
});
