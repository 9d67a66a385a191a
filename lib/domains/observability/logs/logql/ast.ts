/** A query in LogQL as a tree of plain values. `at` is where a part begins in the text. */
export type Query = LogExpr | MetricExpr;

export type MatchOp = '=' | '!=' | '=~' | '!~';
export type Matcher = { name: string; op: MatchOp; value: string };

export type LogExpr = { kind: 'log'; matchers: Matcher[]; stages: Stage[] };

export type CompareOp = '==' | '!=' | '>' | '>=' | '<' | '<=';

export type LabelCondition =
  | { kind: 'match'; matcher: Matcher }
  | { kind: 'compare'; name: string; op: CompareOp; unit: 'number' | 'duration' | 'bytes'; value: number }
  | { kind: 'and' | 'or'; left: LabelCondition; right: LabelCondition };

export type Extraction = { label: string; from: string };

export type Stage =
  /** A line passes if it holds one of the texts; `!=` and `!~`: none of them. */
  | { kind: 'line'; op: '|=' | '!=' | '|~' | '!~'; texts: string[] }
  | { kind: 'json'; extractions: (Extraction & { path: (string | number)[] })[] }
  | { kind: 'logfmt'; strict: boolean; keep_empty: boolean; extractions: Extraction[] }
  | { kind: 'regexp'; pattern: string }
  | { kind: 'pattern'; parts: PatternPart[] }
  | { kind: 'filter'; condition: LabelCondition }
  | { kind: 'line_format'; template: TemplatePart[] }
  | { kind: 'label_format'; labels: { name: string; from: string | TemplatePart[] }[] }
  | { kind: 'decolorize' }
  | { kind: 'drop' | 'keep'; labels: { name: string; matcher: Matcher | undefined }[] };

/** A literal text, or a capture; an unnamed capture has the name `_`. */
export type PatternPart = { literal: string } | { capture: string };

/** A literal text, or a label that goes through functions; `__line__` and `__timestamp__` stand for the line itself. */
export type TemplatePart = { literal: string } | { field: string; calls: TemplateCall[] };
export type TemplateCall = { name: string; args: string[] };

export type RangeOp =
  | 'count_over_time'
  | 'rate'
  | 'bytes_over_time'
  | 'bytes_rate'
  | 'avg_over_time'
  | 'sum_over_time'
  | 'min_over_time'
  | 'max_over_time'
  | 'stddev_over_time'
  | 'stdvar_over_time'
  | 'quantile_over_time'
  | 'first_over_time'
  | 'last_over_time'
  | 'absent_over_time';

export type Grouping = { by: boolean; labels: string[] };

export type Unwrap = {
  label: string;
  convert: 'number' | 'duration' | 'bytes';
  conditions: LabelCondition[];
};

export type RangeExpr = {
  kind: 'range';
  op: RangeOp;
  parameter: number | undefined;
  log: LogExpr;
  range_us: number;
  offset_us: number;
  unwrap: Unwrap | undefined;
  grouping: Grouping | undefined;
};

export type VectorOp =
  | 'sum'
  | 'avg'
  | 'min'
  | 'max'
  | 'count'
  | 'stddev'
  | 'stdvar'
  | 'topk'
  | 'bottomk'
  | 'sort'
  | 'sort_desc';

export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '^' | CompareOp | 'and' | 'or' | 'unless';

/** How series of two sides are paired: by all labels, by some, or by all but some. */
export type Matching = { on: boolean; labels: string[] };

export type MetricExpr =
  | RangeExpr
  | { kind: 'vector'; op: VectorOp; parameter: number | undefined; grouping: Grouping | undefined; of: MetricExpr }
  | { kind: 'binary'; op: BinaryOp; bool: boolean; matching: Matching | undefined; left: MetricExpr; right: MetricExpr }
  | { kind: 'number'; value: number }
  /** `vector(5)`: one series without labels. */
  | { kind: 'constant'; value: number }
  | { kind: 'label_replace'; of: MetricExpr; target: string; replacement: string; source: string; pattern: string };

/** The selectors of a query. */
export function selectorsOf(query: Query): LogExpr[] {
  switch (query.kind) {
    case 'log':
      return [query];
    case 'range':
      return [query.log];
    case 'vector':
    case 'label_replace':
      return selectorsOf(query.of);
    case 'binary':
      return [...selectorsOf(query.left), ...selectorsOf(query.right)];
    default:
      return [];
  }
}
