import { parser } from '@grafana/lezer-logql';
import type { SyntaxNode } from '@lezer/common';
import type {
  BinaryOp,
  CompareOp,
  Grouping,
  LabelCondition,
  LogExpr,
  Matcher,
  Matching,
  MatchOp,
  MetricExpr,
  Query,
  RangeExpr,
  RangeOp,
  Stage,
  TemplatePart,
  Unwrap,
  VectorOp,
} from './ast';
import { QueryError } from './error';
import { parsePath } from './path';
import { parsePattern } from './pattern';
import { BadPattern, type Regex, regexOf } from './regex';
import { BadTemplate, parseTemplate } from './template';
import { parseBytes, parseDuration } from './units';

/** As in Loki. */
const MOST_TEXT = 5120;
/** Deeper trees could exhaust the stack. */
const MOST_DEPTH = 100;

/** Reads a query. @throws QueryError for what is not LogQL, or not supported */
export function parseQuery(text: string): Query {
  if (text.length > MOST_TEXT) throw new QueryError(`a query has at most ${MOST_TEXT} characters`, MOST_TEXT);
  if (nesting(text) > MOST_DEPTH) throw new QueryError(`parentheses are nested deeper than ${MOST_DEPTH}`, 0);
  const tree = parser.parse(text);
  const cursor = tree.cursor();
  do {
    if (cursor.type.isError) throw syntaxError(text, cursor.from);
  } while (cursor.next());
  return new Reader(text).query(only(tree.topNode, 'Expr'));
}

function nesting(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

function syntaxError(text: string, at: number): QueryError {
  const found = text.slice(at).trimStart();
  return new QueryError(
    found === ''
      ? 'syntax error: unexpected end of the query'
      : `syntax error: unexpected ${JSON.stringify(found.slice(0, 20))}`,
    at,
  );
}

/** A child that the grammar promises. */
function only(node: SyntaxNode, name: string): SyntaxNode {
  const child = node.getChild(name);
  if (!child) throw new QueryError(`the query is incomplete: ${name} is missing`, node.from);
  return child;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child);
  }
  return children;
}

/** The items of a left-recursive list, `Labels { Identifier | Labels "," Identifier }`, in order. */
function itemsOf(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).flatMap((child) => (child.name === node.name ? itemsOf(child) : [child]));
}

const compareOps: readonly CompareOp[] = ['==', '!=', '>', '>=', '<', '<='];

/** Loki's precedence, loosest first. The parser's own is for editors only: it has `+` bind tighter than `*`. */
const precedence: readonly (readonly BinaryOp[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];

const needsUnwrap: readonly RangeOp[] = [
  'avg_over_time',
  'sum_over_time',
  'min_over_time',
  'max_over_time',
  'stddev_over_time',
  'stdvar_over_time',
  'quantile_over_time',
  'first_over_time',
  'last_over_time',
];
const neverUnwraps: readonly RangeOp[] = ['count_over_time', 'bytes_over_time', 'bytes_rate'];
const rangeOps: readonly RangeOp[] = [...needsUnwrap, ...neverUnwraps, 'rate', 'absent_over_time'];
const vectorOps: readonly VectorOp[] = [
  'sum',
  'avg',
  'min',
  'max',
  'count',
  'stddev',
  'stdvar',
  'topk',
  'bottomk',
  'sort',
  'sort_desc',
];

type Operator = { op: BinaryOp; bool: boolean; matching: Matching | undefined; at: number };

class Reader {
  constructor(private readonly text: string) {}

  query(expr: SyntaxNode): Query {
    const log = expr.getChild('LogExpr');
    return log ? this.log(log) : this.metric(only(expr, 'MetricExpr'));
  }

  private textOf = (node: SyntaxNode) => this.text.slice(node.from, node.to);

  private refuse(problem: string, node: SyntaxNode): never {
    throw new QueryError(problem, node.from);
  }

  private log(node: SyntaxNode): LogExpr {
    const inner = node.getChild('LogExpr');
    if (inner) return this.log(inner);
    return {
      kind: 'log',
      matchers: this.selector(only(node, 'Selector')),
      stages: this.pipeline(node.getChild('PipelineExpr')),
    };
  }

  private selector(node: SyntaxNode): Matcher[] {
    const matchers = itemsOf(only(node, 'Matchers')).map((matcher) => this.matcher(matcher));
    if (matchers.every(matchesEmpty)) {
      this.refuse(
        'queries require at least one regexp or equality matcher that does not have an empty-compatible value. For instance, app=~".*" does not meet this requirement, but app=~".+" will',
        node,
      );
    }
    return matchers;
  }

  private matcher(node: SyntaxNode): Matcher {
    const [name, op, value] = childrenOf(node);
    if (!name || !op || !value) return this.refuse('incomplete matcher', node);
    const text = this.textOf(op);
    const kind = (['=', '!=', '=~', '!~'] as const).find((known) => known === text);
    if (!kind) return this.refuse(`${text} is not an operator of matchers`, op);
    const matcher = { name: this.textOf(name), op: kind, value: this.string(value) };
    if (isPattern(kind)) this.regex(matcher.value, true, value);
    return matcher;
  }

  private regex(pattern: string, anchored: boolean, node: SyntaxNode): Regex {
    try {
      return regexOf(pattern, anchored);
    } catch (error) {
      if (error instanceof BadPattern) return this.refuse(`invalid regular expression: ${error.message}`, node);
      throw error;
    }
  }

  private string(node: SyntaxNode): string {
    const text = this.textOf(node);
    if (text.startsWith('`')) return text.slice(1, -1);
    const escapes: Readonly<Record<string, string>> = {
      a: '\x07',
      b: '\b',
      f: '\f',
      n: '\n',
      r: '\r',
      t: '\t',
      v: '\v',
    };
    return text
      .slice(1, -1)
      .replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|[\s\S])/g, (whole, code: string) => {
        if (/^[\\"']$/.test(code)) return code;
        const plain = escapes[code];
        if (plain !== undefined) return plain;
        if (/^[xuU]./.test(code)) return this.character(Number.parseInt(code.slice(1), 16), node);
        if (/^[0-7]{3}$/.test(code)) return this.character(Number.parseInt(code, 8), node);
        return this.refuse(`invalid escape ${whole} in a string`, node);
      });
  }

  private character(code: number, node: SyntaxNode): string {
    // Go's \x and octal escapes above this are bytes, which may be no text.
    const isText = code <= 0x7f || (code > 0xff && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff));
    return isText ? String.fromCodePoint(code) : this.refuse('a string holds an escape that is not supported', node);
  }

  private pipeline(node: SyntaxNode | null): Stage[] {
    if (!node) return [];
    return itemsOf(node).flatMap((stage) => this.stage(stage));
  }

  private stage(node: SyntaxNode): Stage[] {
    const body = childrenOf(node).find(({ name }) => name !== 'Pipe');
    if (!body) return this.refuse('an empty stage', node);
    switch (body.name) {
      case 'LineFilters':
        return this.lineFilters(body);
      case 'LabelParser':
        return [this.labelParser(body)];
      case 'JsonExpressionParser':
        return [{ kind: 'json', extractions: this.jsonExtractions(body) }];
      case 'LogfmtParser':
      case 'LogfmtExpressionParser':
        return [this.logfmt(body)];
      case 'LabelFilter':
        return [{ kind: 'filter', condition: this.condition(body) }];
      case 'LineFormatExpr':
        return [{ kind: 'line_format', template: this.template(only(body, 'String')) }];
      case 'LabelFormatExpr':
        return [this.labelFormat(body)];
      case 'DecolorizeExpr':
        return [{ kind: 'decolorize' }];
      case 'DropLabelsExpr':
        return [{ kind: 'drop', labels: this.labelList(only(body, 'DropLabels')) }];
      case 'KeepLabelsExpr':
        return [{ kind: 'keep', labels: this.labelList(only(body, 'KeepLabels')) }];
      default:
        return this.refuse(`the stage ${this.textOf(body)} is not supported`, body);
    }
  }

  private lineFilters(node: SyntaxNode): Stage[] {
    const children = childrenOf(node);
    const nested = children.filter(({ name }) => name === 'LineFilters').flatMap((child) => this.lineFilters(child));
    const own = children.filter(({ name }) => name === 'LineFilter').map((child) => this.lineFilter(child));
    // `LineFilter or …` of the grammar without its own texts does not name its operator.
    const stray = children.find(({ name }) => name === 'OrFilter');
    if (stray) return this.refuse('this use of `or` is not supported', stray);
    return [...nested, ...own];
  }

  private lineFilter(node: SyntaxNode): Stage {
    const [filter] = childrenOf(node);
    if (!filter) return this.refuse('an empty line filter', node);
    const text = this.textOf(filter);
    const op = (['|=', '!=', '|~', '!~'] as const).find((known) => known === text);
    if (!op) return this.refuse(`the line filter ${text} is not supported`, filter);
    const texts = this.filterTexts(node);
    if (op === '|~' || op === '!~') for (const { node: at, value } of texts) this.regex(value, false, at);
    return { kind: 'line', op, texts: texts.map(({ value }) => value) };
  }

  private filterTexts(node: SyntaxNode): { node: SyntaxNode; value: string }[] {
    return childrenOf(node).flatMap((child) => {
      if (child.name === 'FilterOp') return this.refuse('the line filter ip() is not supported', child);
      if (child.name === 'OrFilter') return this.filterTexts(child);
      return child.name === 'String' ? [{ node: child, value: this.string(child) }] : [];
    });
  }

  private labelParser(node: SyntaxNode): Stage {
    const [kind] = childrenOf(node);
    if (kind?.name === 'Json') return { kind: 'json', extractions: [] };
    if (kind?.name === 'Regexp') {
      const at = only(node, 'String');
      const pattern = this.string(at);
      if (this.regex(pattern, false, at).names.length === 0) {
        this.refuse('at least one named capture must be supplied', at);
      }
      return { kind: 'regexp', pattern };
    }
    if (kind?.name === 'Pattern') {
      const at = only(node, 'String');
      const parts = parsePattern(this.string(at));
      return typeof parts === 'string' ? this.refuse(parts, at) : { kind: 'pattern', parts };
    }
    return this.refuse(`the parser ${this.textOf(node)} is not supported`, node);
  }

  private extractions(node: SyntaxNode): { label: string; from: string; at: SyntaxNode }[] {
    const list = node.getChild('LabelExtractionExpressionList');
    if (!list) return [];
    return itemsOf(list).map((item) => {
      const [label, , from] = childrenOf(item);
      if (!label) return this.refuse('an empty extraction', item);
      return { label: this.textOf(label), from: from ? this.string(from) : this.textOf(label), at: from ?? label };
    });
  }

  private jsonExtractions(node: SyntaxNode) {
    return this.extractions(node).map(({ label, from, at }) => {
      const path = parsePath(from);
      return path ? { label, from, path } : this.refuse(`${from} is not a path into JSON`, at);
    });
  }

  private logfmt(node: SyntaxNode): Stage {
    const list = node.getChild('LogfmtParserFlags');
    const flags = list ? itemsOf(list).map(this.textOf) : [];
    const extractions = this.extractions(node).map(({ label, from }) => ({ label, from }));
    return {
      kind: 'logfmt',
      strict: flags.includes('--strict'),
      keep_empty: flags.includes('--keep-empty'),
      extractions,
    };
  }

  private labelList(node: SyntaxNode): { name: string; matcher: Matcher | undefined }[] {
    return itemsOf(node).map((item) => {
      const matcher = item.getChild('Matcher');
      const read = matcher ? this.matcher(matcher) : undefined;
      return { name: read?.name ?? this.textOf(only(item, 'Identifier')), matcher: read };
    });
  }

  private labelFormat(node: SyntaxNode): Stage {
    const labels = itemsOf(only(node, 'LabelsFormat')).map((item) => {
      const [name, , from] = childrenOf(item);
      if (!name || !from) return this.refuse('an empty label_format', item);
      return {
        name: this.textOf(name),
        from: from.name === 'String' ? this.template(from) : this.textOf(from),
        at: item,
      };
    });
    for (const [index, { name, at }] of labels.entries()) {
      if (labels.slice(0, index).some((other) => other.name === name)) {
        this.refuse(`multiple label name "${name}" not allowed in a single format operation`, at);
      }
    }
    return { kind: 'label_format', labels: labels.map(({ name, from }) => ({ name, from })) };
  }

  private template(node: SyntaxNode): TemplatePart[] {
    try {
      return parseTemplate(this.string(node));
    } catch (error) {
      if (error instanceof BadTemplate) throw new QueryError(error.message, node.from + 1 + error.at);
      throw error;
    }
  }

  private condition(node: SyntaxNode): LabelCondition {
    const children = childrenOf(node);
    const [first, second] = children;
    if (!first) return this.refuse('an empty label filter', node);
    const nested = children.filter(({ name }) => name === 'LabelFilter');
    const [left, right] = nested;
    if (left && right) {
      const isOr = second?.name === 'Or';
      const joints = jointsOf(node);
      // Loki binds a comma by the order in which it reads, and readers expect something else.
      if (joints.has('or') && joints.has(',')) this.refuse('put parentheses around `or` beside a comma', node);
      return { kind: isOr ? 'or' : 'and', left: this.condition(left), right: this.condition(right) };
    }
    if (left) return this.condition(left);
    switch (first.name) {
      case 'Matcher':
        return { kind: 'match', matcher: this.matcher(first) };
      case 'NumberFilter':
        return this.comparison(first, 'number');
      case 'UnitFilter': {
        const duration = first.getChild('DurationFilter');
        return duration ? this.comparison(duration, 'duration') : this.comparison(only(first, 'BytesFilter'), 'bytes');
      }
      default:
        return this.refuse(`the label filter ${this.textOf(first)} is not supported`, first);
    }
  }

  private comparison(node: SyntaxNode, unit: 'number' | 'duration' | 'bytes'): LabelCondition {
    const [name, op, value] = childrenOf(node);
    if (!name || !op || !value) return this.refuse('an incomplete comparison', node);
    const text = this.textOf(op) === '=' ? '==' : this.textOf(op);
    const kind = compareOps.find((known) => known === text);
    const read = { number: this.literal, duration: parseDuration, bytes: parseBytes }[unit];
    const number = read(this.textOf(value));
    if (!kind || number === undefined) return this.refuse('this comparison is not supported', node);
    return { kind: 'compare', name: this.textOf(name), op: kind, unit, value: number };
  }

  private literal = (text: string): number | undefined => {
    const number = Number(text.replace(/\s+/g, ''));
    return Number.isNaN(number) ? undefined : number;
  };

  private metric(node: SyntaxNode): MetricExpr {
    const [body] = childrenOf(node);
    if (!body) return this.refuse('an empty expression', node);
    switch (body.name) {
      case 'MetricExpr':
        return this.metric(body);
      case 'RangeAggregationExpr':
        return this.range(body);
      case 'VectorAggregationExpr':
        return this.vector(body);
      case 'BinOpExpr':
        return this.binary(body);
      case 'LiteralExpr':
        return { kind: 'number', value: this.number(body) };
      case 'VectorExpr':
        return { kind: 'constant', value: this.number(only(body, 'Number')) };
      case 'LabelReplaceExpr':
        return this.labelReplace(body);
      default:
        return this.refuse(`${this.textOf(body)} is not supported`, body);
    }
  }

  private number(node: SyntaxNode): number {
    return this.literal(this.textOf(node)) ?? this.refuse('not a number', node);
  }

  private duration(node: SyntaxNode): number {
    const microseconds = parseDuration(this.textOf(node)) ?? this.refuse('not a duration', node);
    return Math.round(microseconds);
  }

  private range(node: SyntaxNode): RangeExpr {
    const opNode = only(node, 'RangeOp');
    const name = this.textOf(opNode);
    const op = rangeOps.find((known) => known === name) ?? this.refuse(`${name} is not supported`, opNode);
    const number = node.getChild('Number');
    if ((op === 'quantile_over_time') !== (number !== null)) {
      this.refuse(number ? `${op} takes no parameter` : `${op} needs a parameter`, node);
    }
    const inner = this.innermost(only(node, 'LogRangeExpr'));
    const range_us = this.duration(only(only(inner, 'Range'), 'Duration'));
    if (range_us <= 0) this.refuse('a range is longer than nothing', inner);
    const offset = inner.getChild('OffsetExpr');
    const unwrapNode = inner.getChild('UnwrapExpr');
    if (needsUnwrap.includes(op) && !unwrapNode) this.refuse(`invalid aggregation ${op} without unwrap`, node);
    if (neverUnwraps.includes(op) && unwrapNode) this.refuse(`invalid aggregation ${op} with unwrap`, node);
    const groupingNode = node.getChild('Grouping');
    if (groupingNode && (!needsUnwrap.includes(op) || op === 'sum_over_time')) {
      this.refuse(`grouping not allowed for ${op} aggregation`, groupingNode);
    }
    return {
      kind: 'range',
      op,
      parameter: number ? this.number(number) : undefined,
      log: {
        kind: 'log',
        matchers: this.selector(only(inner, 'Selector')),
        stages: this.pipeline(inner.getChild('PipelineExpr')),
      },
      range_us,
      offset_us: offset ? this.duration(only(offset, 'Duration')) : 0,
      unwrap: unwrapNode ? this.unwrap(unwrapNode) : undefined,
      grouping: groupingNode ? this.grouping(groupingNode) : undefined,
    };
  }

  private innermost(node: SyntaxNode): SyntaxNode {
    const inner = node.getChild('LogRangeExpr');
    return inner ? this.innermost(inner) : node;
  }

  private unwrap(node: SyntaxNode): Unwrap {
    const inner = node.getChild('UnwrapExpr');
    if (inner) {
      const unwrap = this.unwrap(inner);
      const filter = only(node, 'LabelFilter');
      return { ...unwrap, conditions: [...unwrap.conditions, this.condition(filter)] };
    }
    const conversion = node.getChild('ConvOp');
    const name = conversion ? this.textOf(conversion) : 'number';
    const convert =
      name === 'duration_seconds'
        ? 'duration'
        : (['number', 'duration', 'bytes'] as const).find((known) => known === name);
    if (!convert) return this.refuse(`${name}() is not supported`, node);
    return { label: this.textOf(only(node, 'Identifier')), convert, conditions: [] };
  }

  private grouping(node: SyntaxNode): Grouping {
    const labels = node.getChild('Labels');
    return { by: node.getChild('By') !== null, labels: labels ? itemsOf(labels).map(this.textOf) : [] };
  }

  private vector(node: SyntaxNode): MetricExpr {
    const opNode = only(node, 'VectorOp');
    const name = this.textOf(opNode);
    const op = vectorOps.find((known) => known === name) ?? this.refuse(`${name} is not supported`, opNode);
    const number = node.getChild('Number');
    const takesNumber = op === 'topk' || op === 'bottomk';
    if (takesNumber !== (number !== null)) {
      this.refuse(
        takesNumber ? `parameter required for operation ${op}` : `unsupported parameter for operation ${op}(`,
        opNode,
      );
    }
    const parameter = number ? this.number(number) : undefined;
    if (parameter !== undefined && (!Number.isInteger(parameter) || parameter < 1)) {
      this.refuse(`invalid parameter (must be a whole number greater than 0) ${op}(${parameter}`, number ?? node);
    }
    const grouping = node.getChild('Grouping');
    if (grouping && (op === 'sort' || op === 'sort_desc')) this.refuse(`grouping not allowed for ${op}`, grouping);
    return {
      kind: 'vector',
      op,
      parameter,
      grouping: grouping ? this.grouping(grouping) : undefined,
      of: this.metric(only(node, 'MetricExpr')),
    };
  }

  private labelReplace(node: SyntaxNode): MetricExpr {
    const [target, replacement, source, pattern] = node.getChildren('String');
    if (!target || !replacement || !source || !pattern) return this.refuse('label_replace takes four strings', node);
    this.regex(this.string(pattern), true, pattern);
    if (!/^[A-Za-z_]\w*$/.test(this.string(target))) this.refuse('not a name of a label', target);
    return {
      kind: 'label_replace',
      of: this.metric(only(node, 'MetricExpr')),
      target: this.string(target),
      replacement: this.string(replacement),
      source: this.string(source),
      pattern: this.string(pattern),
    };
  }

  /** A chain of operators without parentheses, put together by Loki's precedence. */
  private binary(node: SyntaxNode): MetricExpr {
    const chain = this.chain(node);
    return this.climb(chain, 0);
  }

  private chain(node: SyntaxNode): (MetricExpr | Operator)[] {
    const [left, op, modifier, right] = childrenOf(node);
    if (!left || !op || !modifier || !right) return this.refuse('an incomplete operation', node);
    return [...this.operands(left), this.operator(op, modifier), ...this.operands(right)];
  }

  private operands(expr: SyntaxNode): (MetricExpr | Operator)[] {
    const log = expr.getChild('LogExpr');
    if (log) return this.refuse('a log query is no operand: it gives lines, not numbers', log);
    const metric = only(expr, 'MetricExpr');
    const chain = metric.firstChild?.name === 'BinOpExpr' ? metric.firstChild : undefined;
    return chain ? this.chain(chain) : [this.metric(metric)];
  }

  private operator(node: SyntaxNode, modifier: SyntaxNode): Operator {
    const text = this.textOf(node);
    const op = precedence.flat().find((known) => known === text);
    if (!op) return this.refuse(`the operator ${text} is not supported`, node);
    const group = modifier.getChild('GroupLeft') ?? modifier.getChild('GroupRight');
    if (group) return this.refuse(`${this.textOf(group)} is not supported`, group);
    const bool = modifier.getChild('Bool');
    if (bool && !compareOps.some((known) => known === op)) {
      return this.refuse(`bool is only for comparisons, not for ${op}`, bool);
    }
    const by = modifier.getChild('OnOrIgnoringModifier');
    return { op, bool: bool !== null, matching: by ? this.matching(by) : undefined, at: node.from };
  }

  private matching(node: SyntaxNode): Matching {
    const list = only(node, 'GroupingLabels').getChild('GroupingLabelList');
    return { on: node.getChild('On') !== null, labels: list ? itemsOf(list).map(this.textOf) : [] };
  }

  /** Operators of one precedence from left to right, powers from right to left. */
  private climb(chain: (MetricExpr | Operator)[], level: number): MetricExpr {
    const [first] = chain;
    if (chain.length === 1 && first && 'kind' in first) return first;
    const ops = precedence[level];
    if (!ops) throw new QueryError('an incomplete operation', 0);
    const isHere = (part: MetricExpr | Operator): part is Operator => !('kind' in part) && ops.includes(part.op);
    const at = ops.includes('^') ? chain.findIndex(isHere) : chain.findLastIndex(isHere);
    const operator = chain[at];
    if (!operator || 'kind' in operator) return this.climb(chain, level + 1);
    const sides = ops.includes('^') ? [level + 1, level] : [level, level + 1];
    const left = this.climb(chain.slice(0, at), sides[0] ?? 0);
    const right = this.climb(chain.slice(at + 1), sides[1] ?? 0);
    const isSet = ['and', 'or', 'unless'].includes(operator.op);
    if (isSet && [left, right].some(({ kind }) => kind === 'number')) {
      throw new QueryError(`the operands of ${operator.op} are series, not numbers`, operator.at);
    }
    if (operator.matching && [left, right].some(isScalar)) {
      throw new QueryError('on and ignoring need series on both sides', operator.at);
    }
    const { op, bool, matching } = operator;
    return { kind: 'binary', op, bool, matching, left, right };
  }
}

/** Whether an expression is a number and has no series. */
export function isScalar(expr: MetricExpr): boolean {
  return expr.kind === 'number' || (expr.kind === 'binary' && isScalar(expr.left) && isScalar(expr.right));
}

const isPattern = (op: MatchOp) => op === '=~' || op === '!~';

/** Whether a label that is absent matches. */
export function matchesEmpty({ op, value }: Matcher): boolean {
  if (op === '=') return value === '';
  if (op === '!=') return value !== '';
  return regexOf(value, true).test('') === (op === '=~');
}

/** What joins the conditions of a label filter, outside of parentheses. */
function jointsOf(node: SyntaxNode): Set<'and' | 'or' | ','> {
  const parts = node.getChildren('LabelFilter');
  if (parts.length < 2) return new Set();
  const own = node.getChild('Or') ? 'or' : node.getChild('And') ? 'and' : ',';
  return new Set([own, ...parts.flatMap((part) => [...jointsOf(part)])]);
}
