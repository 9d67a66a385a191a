import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '@/lib/testing/samples';
import { formatQueries, metricQueries, operatorQueries, parserQueries, selectorQueries } from '../corpus-queries';
import { readQuery } from '../query';
import type { LabelCondition, LogExpr, Matcher, MetricExpr, Query, Stage, TemplatePart } from './ast';
import { selectorsOf } from './ast';
import { isScalar, matchesEmpty, parseQuery } from './parse';
import { printQuery } from './print';

const PROJECT = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';

/** Text with everything that ends a string, a selector or a template somewhere. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '`',
      "'",
      '{',
      '}',
      ',',
      '|',
      '\n',
      '\u0000',
      '\u2028',
      '#',
      '$',
      'é',
      '😀',
      '=',
      ')',
    ),
    maxLength: 8,
  }),
  fc.constantFrom('", project=~".+', '"} or {project=~".+"}', '\\', '\\"', '`} or {a=`', '"}#'),
);
const name = fc.constantFrom('a', 'project', 'service', '_x1', 'status', 'ms');
const names = fc.uniqueArray(name, { maxLength: 3 });
const pattern = fc.constantFrom('a|b', '.+', '(?i)x', '"}', '\\d+', 'a\\"b', '[|`]', '');
const matcher: fc.Arbitrary<Matcher> = fc.oneof(
  fc.record({ name, op: fc.constantFrom('=', '!='), value: text }),
  fc.record({ name, op: fc.constantFrom('=~', '!~'), value: pattern }),
);
const { condition } = fc.letrec<{ condition: LabelCondition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('match'), matcher }),
    fc.record({
      kind: fc.constant('compare'),
      name,
      op: fc.constantFrom('==', '!=', '>', '>=', '<', '<='),
      unit: fc.constantFrom('number', 'duration', 'bytes'),
      value: fc.oneof(fc.nat(), fc.constantFrom(1e21, 90e6)),
    }),
    fc.record({ kind: fc.constantFrom('and', 'or'), left: tie('condition'), right: tie('condition') }),
  ),
}));
const template: fc.Arbitrary<TemplatePart[]> = fc
  .array(
    fc.record({
      before: text.map((literal) => literal.replace(/[{}]/g, '')),
      field: fc.constantFrom('a', 'ip', '__line__'),
      calls: fc.array(
        fc.oneof(
          fc.record({ name: fc.constantFrom('lower', 'TrimSpace'), args: fc.constant<string[]>([]) }),
          fc.record({ name: fc.constant('replace'), args: fc.tuple(text, text) }),
          fc.record({ name: fc.constantFrom('default', 'trimPrefix'), args: fc.tuple(text) }),
          fc.record({ name: fc.constant('trunc'), args: fc.tuple(fc.integer().map(String)) }),
        ),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  )
  .map((parts) =>
    parts.flatMap(({ before, field, calls }) => [...(before === '' ? [] : [{ literal: before }]), { field, calls }]),
  );
const labelled = fc.record({ label: name, from: text });
const stage: fc.Arbitrary<Stage> = fc.oneof(
  fc.record({
    kind: fc.constant('line'),
    op: fc.constantFrom('|=', '!='),
    texts: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('line'),
    op: fc.constantFrom('|~', '!~'),
    texts: fc.array(pattern, { minLength: 1, maxLength: 3 }),
  }),
  fc.constant<Stage>({ kind: 'json', extractions: [] }),
  fc.constant<Stage>({
    kind: 'json',
    extractions: [{ label: 'ua', from: '["User \\"x"].b[0]', path: ['User "x', 'b', 0] }],
  }),
  fc.record({
    kind: fc.constant('logfmt'),
    strict: fc.boolean(),
    keep_empty: fc.boolean(),
    extractions: fc.array(labelled, { maxLength: 2 }),
  }),
  fc.constant<Stage>({ kind: 'regexp', pattern: '(?P<a>"\\w+`)' }),
  fc.constant<Stage>({
    kind: 'pattern',
    parts: [{ literal: '"<' }, { capture: 'a' }, { literal: '> \\' }, { capture: '_' }],
  }),
  fc.record({ kind: fc.constant('filter'), condition }),
  fc.record({ kind: fc.constant('line_format'), template }),
  fc.record({
    kind: fc.constant('label_format'),
    labels: fc.uniqueArray(fc.record({ name, from: fc.oneof(name, template) }), {
      minLength: 1,
      maxLength: 3,
      selector: (one) => one.name,
    }),
  }),
  fc.constant<Stage>({ kind: 'decolorize' }),
  fc.record({
    kind: fc.constantFrom('drop', 'keep'),
    labels: fc.array(
      fc.oneof(
        name.map((of) => ({ name: of, matcher: undefined })),
        matcher.map((of) => ({ name: of.name, matcher: of })),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
/** `drop a != "x"` reads as one stage, so no tree has such a filter behind a label without a matcher. */
const takesNext = (one: Stage, index: number, stages: readonly Stage[]) => {
  const next = stages[index + 1];
  const isNegative = next?.kind === 'line' && next.op.startsWith('!');
  return (one.kind === 'drop' || one.kind === 'keep') && !one.labels.at(-1)?.matcher && isNegative;
};
const log: fc.Arbitrary<LogExpr> = fc.record({
  kind: fc.constant('log'),
  matchers: fc.array(matcher, { minLength: 1, maxLength: 4 }).filter((matchers) => !matchers.every(matchesEmpty)),
  stages: fc.array(stage, { maxLength: 4 }).filter((stages) => !stages.some(takesNext)),
});
const grouping = fc.option(fc.record({ by: fc.boolean(), labels: names }), { nil: undefined });
const span = { range_us: fc.integer({ min: 1, max: 1e12 }), offset_us: fc.nat({ max: 1e9 }) };
const number = fc.oneof(fc.integer(), fc.constantFrom(0.1, -2.5, 1e21, 1e-9));
const { metric } = fc.letrec<{ metric: MetricExpr }>((tie) => ({
  metric: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number.map((value): MetricExpr => ({ kind: 'number', value })),
    fc.nat().map((value): MetricExpr => ({ kind: 'constant', value })),
    fc.record({
      kind: fc.constant('range'),
      op: fc.constantFrom('rate', 'count_over_time', 'bytes_rate', 'absent_over_time'),
      parameter: fc.constant(undefined),
      log,
      ...span,
      unwrap: fc.constant(undefined),
      grouping: fc.constant(undefined),
    }),
    fc.record({
      kind: fc.constant('range'),
      op: fc.constant('quantile_over_time'),
      parameter: fc.constantFrom(0, 0.99),
      log,
      ...span,
      unwrap: fc.record({
        label: name,
        convert: fc.constantFrom('number', 'duration', 'bytes'),
        conditions: fc.array(condition, { maxLength: 2 }),
      }),
      grouping,
    }),
    fc.record({
      kind: fc.constant('vector'),
      op: fc.constantFrom('sum', 'max', 'count'),
      parameter: fc.constant(undefined),
      grouping,
      of: tie('metric'),
    }),
    fc.record({
      kind: fc.constant('vector'),
      op: fc.constantFrom('topk', 'bottomk'),
      parameter: fc.integer({ min: 1, max: 9 }),
      grouping,
      of: tie('metric'),
    }),
    fc.record({
      kind: fc.constant('label_replace'),
      of: tie('metric'),
      target: name,
      replacement: text,
      source: text,
      pattern,
    }),
    fc
      .record({
        kind: fc.constant('binary'),
        op: fc.constantFrom('+', '-', '*', '/', '%', '^', 'and', 'or', 'unless', '>', '=='),
        bool: fc.boolean(),
        matching: fc.option(fc.record({ on: fc.boolean(), labels: names }), { nil: undefined }),
        left: tie('metric'),
        right: tie('metric'),
      })
      .map((expr): MetricExpr => {
        const isSet = ['and', 'or', 'unless'].includes(expr.op);
        const left: MetricExpr = isSet && expr.left.kind === 'number' ? { kind: 'constant', value: 1 } : expr.left;
        const right: MetricExpr = isSet && expr.right.kind === 'number' ? { kind: 'constant', value: 1 } : expr.right;
        const compares = expr.op === '>' || expr.op === '==';
        const matching = isScalar(left) || isScalar(right) ? undefined : expr.matching;
        return { ...expr, left, right, matching, bool: expr.bool && compares };
      }),
  ),
}));
const query: fc.Arbitrary<Query> = fc.oneof(log, metric);

describe('a printed query', () => {
  test('reads as the tree that it was printed from, whatever its texts hold', () => {
    fc.assert(
      fc.property(query, (tree) => {
        const printed = printQuery(tree);
        // Longer ones are refused before they are read.
        fc.pre(printed.length <= 5120);
        expect(parseQuery(printed)).toEqual(tree);
      }),
      { numRuns: runs(500, 20_000) },
    );
  });

  test.each(
    [...selectorQueries, ...parserQueries, ...formatQueries, ...metricQueries, ...operatorQueries].map(([of]) => of),
  )('%s', (of) => expect(parseQuery(printQuery(parseQuery(of)))).toEqual(parseQuery(of)));

  test('demands the project in every selector, and no audit lines for roles that may not read them', () => {
    fc.assert(
      fc.property(query, fc.boolean(), (tree, audit) => {
        const text = printQuery(tree);
        fc.pre(text.length <= 4000);
        const printed = printQuery(readQuery(text, { project_id: PROJECT, audit }));
        fc.pre(printed.length <= 5120);
        const forced: Matcher[] = [
          { name: 'project', op: '=', value: PROJECT },
          ...(audit ? [] : [{ name: 'service', op: '!=', value: 'audit' } as const]),
        ];
        const selectors = selectorsOf(parseQuery(printed));
        expect(selectors.length).toBe(selectorsOf(tree).length);
        for (const { matchers } of selectors) expect(matchers.slice(-forced.length)).toEqual(forced);
      }),
      { numRuns: runs(200, 5000) },
    );
  });

  test('keeps a project that the query names itself beside the forced one', () => {
    const printed = printQuery(
      readQuery('{project=~".+"} |= "\\"} or {project=~\\".+\\"}"', { project_id: PROJECT, audit: false }),
    );
    expect(printed).toBe(`{project=~".+", project="${PROJECT}", service!="audit"} |= "\\"} or {project=~\\".+\\"}"`);
  });
});
