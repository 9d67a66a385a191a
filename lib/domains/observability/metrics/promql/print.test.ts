import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparedQueries, hostileQueries } from '@/lib/testing/promql-corpus';
import { runs } from '@/lib/testing/samples';
import { parsePromql } from './parse';
import { printPromql } from './print';
import type { Expression, Matcher, Selector } from './syntax';

const PROJECT = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';
const forced: Matcher[] = [{ label: 'project', op: '=', value: PROJECT }];

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'"\\`\'{},#\n\u0000\u2028é😀=)'), maxLength: 8 }),
  fc.constantFrom('", project=~".+', '"} or {project=~".+"}', '\\', '\\"', '`} or {a=`', '"}#'),
);
const label = fc.constantFrom('__name__', 'a', 'project', 'service', '_x1');
const labels = fc.uniqueArray(fc.constantFrom('a', 'b', 'project', '_x1'), { maxLength: 3 });
const matcher: fc.Arbitrary<Matcher> = fc.oneof(
  fc.record({ label, op: fc.constantFrom('=', '!='), value: text }),
  fc.record({ label, op: fc.constantFrom('=~', '!~'), value: fc.constantFrom('a|b', '.+', '"}', '\\d+', '[|`]', '') }),
);
const selector = (range_ms: fc.Arbitrary<number>) =>
  fc
    .record({
      matchers: fc.array(matcher, { maxLength: 3 }),
      range_ms,
      offset_ms: fc.integer({ min: -1e12, max: 1e12 }),
    })
    .map(
      ({ matchers, ...rest }): Selector => ({
        ...{ kind: 'selector', at: 0, type: rest.range_ms === 0 ? 'vector' : 'matrix' },
        matchers: [{ label: 'a', op: '!=', value: '' }, ...matchers],
        ...rest,
      }),
    );
const number = fc
  .oneof(fc.integer(), fc.double(), fc.constantFrom(-0, Number.NaN, -Infinity, 1e300, 5e-324))
  .map((value): Expression => ({ kind: 'number', at: 0, type: 'scalar', value }));

const { scalar, vector } = fc.letrec<{ scalar: Expression; vector: Expression }>((tie) => ({
  scalar: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    tie('scalar').map((of): Expression => ({ kind: 'negation', at: 0, type: 'scalar', of })),
    fc
      .record({ op: fc.constantFrom('+', '^', '%'), left: tie('scalar'), right: tie('scalar') })
      .map((sides): Expression => ({ ...base('scalar'), bool: false, matching: everything, ...sides })),
    tie('vector').map((of): Expression => ({ kind: 'call', at: 0, type: 'scalar', name: 'scalar', args: [of] })),
  ),
  vector: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    selector(fc.constant(0)),
    fc
      .tuple(fc.constantFrom('rate', 'last_over_time'), selector(fc.integer({ min: 1, max: 1e12 })))
      .map(([name, range]): Expression => ({ kind: 'call', at: 0, type: 'vector', name, args: [range] })),
    fc
      .tuple(tie('vector'), tie('scalar'))
      .map((args): Expression => ({ kind: 'call', at: 0, type: 'vector', name: 'clamp_min', args })),
    tie('vector').map((of): Expression => ({ kind: 'negation', at: 0, type: 'vector', of })),
    fc.record({ without: fc.boolean(), labels, of: tie('vector'), parameter: fc.option(tie('scalar')) }).map(
      ({ of, parameter, ...grouping }): Expression => ({
        ...{ kind: 'aggregation', at: 0, type: 'vector', op: parameter ? 'topk' : 'sum' },
        ...{ grouping, parameter, of },
      }),
    ),
    fc
      .record({ op: fc.constantFrom('/', '==', '<='), bool: fc.boolean(), left: tie('vector'), right: tie('scalar') })
      .map(
        ({ bool, ...sides }): Expression => ({
          ...{ ...base('vector'), matching: everything, bool: bool && sides.op !== '/' },
          ...sides,
        }),
      ),
    fc
      .record({
        op: fc.constantFrom('*', '>', 'and', 'or', 'unless'),
        matching: fc.record({
          on: fc.boolean(),
          labels,
          many: fc.constantFrom('left', 'right', null),
          include: labels,
        }),
        left: tie('vector'),
        right: tie('vector'),
      })
      .map(({ matching, ...sides }): Expression => {
        const many = ['and', 'or', 'unless'].includes(sides.op) ? null : matching.many;
        const include =
          many === null ? [] : matching.include.filter((one) => !(matching.on && matching.labels.includes(one)));
        return { ...base('vector'), bool: false, matching: { ...matching, many, include }, ...sides };
      }),
  ),
}));

const everything = { on: false, labels: [], many: null, include: [] };
const base = <Type>(type: Type) => ({ kind: 'binary' as const, at: 0, type });

/** The grammar reads some negative numbers as negations. */
function folded(tree: Expression): Expression {
  if (tree.kind !== 'negation') return tree;
  const of = folded(tree.of);
  return of.kind === 'number' ? { ...of, value: -of.value } : tree;
}

/** The tree without positions. */
const shape = (tree: Expression): unknown =>
  JSON.parse(
    JSON.stringify(tree, (key, value) => {
      if (key === 'at') return undefined;
      if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
      return value?.kind === 'negation' ? folded(value) : value;
    }),
  );

function selectorsOf(tree: Expression): Selector[] {
  switch (tree.kind) {
    case 'selector':
      return [tree];
    case 'negation':
      return selectorsOf(tree.of);
    case 'binary':
      return [...selectorsOf(tree.left), ...selectorsOf(tree.right)];
    case 'aggregation':
      return [...(tree.parameter ? selectorsOf(tree.parameter) : []), ...selectorsOf(tree.of)];
    case 'call':
      return tree.args.flatMap(selectorsOf);
    default:
      return [];
  }
}

test('a printed query is parsed as the same tree, whatever its strings contain', () => {
  fc.assert(
    fc.property(fc.oneof(vector, scalar), (tree) => {
      const printed = printPromql(tree);
      // Longer queries are refused.
      fc.pre(printed.length <= 20_000);
      expect(shape(parsePromql(printed))).toEqual(shape(tree));
    }),
    { numRuns: runs(500, 20_000) },
  );
});

test.each([...comparedQueries, ...hostileQueries(PROJECT, PROJECT, 'canary')])('%s', (query) => {
  const tree = parsePromql(query);
  expect(shape(parsePromql(printPromql(tree)))).toEqual(shape(tree));
});

test('every selector of a printed query demands the project, besides its own matchers', () => {
  fc.assert(
    fc.property(vector, (tree) => {
      const printed = printPromql(tree, forced);
      fc.pre(printed.length <= 20_000);
      const selectors = selectorsOf(parsePromql(printed));
      const own = selectorsOf(tree).map(({ matchers }) => [...matchers, ...forced]);
      expect(selectors.map(({ matchers }) => matchers)).toEqual(own);
    }),
    { numRuns: runs(200, 5000) },
  );
});
