/** A query that Prometheus would refuse too, or that this platform does not support. `at` counts characters from 0. */
export class QueryError extends Error {
  override name = 'QueryError';
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

export type Matcher = { label: string; op: '=' | '!=' | '=~' | '!~'; value: string };

export type Selector = {
  kind: 'selector';
  at: number;
  type: 'vector' | 'matrix';
  matchers: readonly Matcher[];
  offset_ms: number;
  /** 0 for an instant vector. */
  range_ms: number;
};

export type Grouping = { without: boolean; labels: readonly string[] };

export type Matching = {
  /** Match on these labels, or on all others. */
  on: boolean;
  labels: readonly string[];
  /** The side that may have several series for each of the other. */
  many: 'left' | 'right' | null;
  include: readonly string[];
};

export type Binary = {
  kind: 'binary';
  at: number;
  type: 'scalar' | 'vector';
  op: string;
  bool: boolean;
  matching: Matching;
  left: Expression;
  right: Expression;
};

export type Aggregation = {
  kind: 'aggregation';
  at: number;
  type: 'vector';
  op: string;
  grouping: Grouping;
  parameter: Expression | null;
  of: Expression;
};

export type Call = { kind: 'call'; at: number; type: 'scalar' | 'vector'; name: string; args: readonly Expression[] };

export type Expression =
  | { kind: 'number'; at: number; type: 'scalar'; value: number }
  | { kind: 'string'; at: number; type: 'string'; value: string }
  | { kind: 'negation'; at: number; type: 'scalar' | 'vector'; of: Expression }
  | Selector
  | Binary
  | Aggregation
  | Call;

export type ValueType = Expression['type'];

export const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
export const setOperators: ReadonlySet<string> = new Set(['and', 'or', 'unless']);
/** Aggregations, and whether they take a parameter. */
export const aggregations: ReadonlyMap<string, boolean> = new Map([
  ['sum', false],
  ['avg', false],
  ['min', false],
  ['max', false],
  ['count', false],
  ['group', false],
  ['stddev', false],
  ['stdvar', false],
  ['topk', true],
  ['bottomk', true],
  ['quantile', true],
]);

/** Types of a function's arguments, of which the last `optional` may be left out, and of its value. */
type Signature = { takes: readonly ValueType[]; optional?: number; gives: 'scalar' | 'vector' };

const all = (names: string, signature: Signature) =>
  names.split(' ').map((name): [string, Signature] => [name, signature]);

export const functions: ReadonlyMap<string, Signature> = new Map([
  ...all('rate irate increase delta idelta changes resets', { takes: ['matrix'], gives: 'vector' }),
  ...all('avg_over_time min_over_time max_over_time sum_over_time count_over_time', {
    takes: ['matrix'],
    gives: 'vector',
  }),
  ...all('last_over_time present_over_time stddev_over_time stdvar_over_time', { takes: ['matrix'], gives: 'vector' }),
  ...all('quantile_over_time', { takes: ['scalar', 'matrix'], gives: 'vector' }),
  ...all('histogram_quantile', { takes: ['scalar', 'vector'], gives: 'vector' }),
  ...all('abs ceil floor sqrt exp ln log2 log10 sgn sort sort_desc', { takes: ['vector'], gives: 'vector' }),
  ...all('round', { takes: ['vector', 'scalar'], optional: 1, gives: 'vector' }),
  ...all('clamp_min clamp_max', { takes: ['vector', 'scalar'], gives: 'vector' }),
  ...all('clamp', { takes: ['vector', 'scalar', 'scalar'], gives: 'vector' }),
  ...all('scalar', { takes: ['vector'], gives: 'scalar' }),
  ...all('vector', { takes: ['scalar'], gives: 'vector' }),
  ...all('time', { takes: [], gives: 'scalar' }),
]);
