import type {
  Extraction,
  Grouping,
  LabelCondition,
  LogExpr,
  Matcher,
  MetricExpr,
  Query,
  RangeExpr,
  Stage,
  TemplatePart,
  Unwrap,
} from './ast';
import { formatNumber } from './units';

/** A query as LogQL, printed from its tree alone. Reading the text gives an equal tree. */
export function printQuery(query: Query): string {
  return query.kind === 'log' ? log(query) : metric(query);
}

/** A selector as LogQL. */
export const printSelector = (matchers: readonly Matcher[]) => `{${matchers.map(matcher).join(', ')}}`;

/** A string in double quotes, as Go and LogQL read it. JSON has no escape that Go lacks. */
const quoted = (text: string) => JSON.stringify(text);

const matcher = ({ name, op, value }: Matcher) => `${name}${op}${quoted(value)}`;

const log = ({ matchers, stages }: LogExpr) => [printSelector(matchers), ...stages.map(stage)].join(' ');

function stage(of: Stage): string {
  switch (of.kind) {
    case 'line':
      return `${of.op} ${of.texts.map(quoted).join(' or ')}`;
    case 'json':
      return ['| json', extractions(of.extractions)].join(' ').trimEnd();
    case 'logfmt': {
      const flags = [...(of.strict ? ['--strict'] : []), ...(of.keep_empty ? ['--keep-empty'] : [])];
      return ['| logfmt', ...flags, extractions(of.extractions)].join(' ').trimEnd();
    }
    case 'regexp':
      return `| regexp ${quoted(of.pattern)}`;
    case 'pattern':
      return `| pattern ${quoted(of.parts.map((part) => ('literal' in part ? part.literal : `<${part.capture}>`)).join(''))}`;
    case 'filter':
      return `| ${condition(of.condition)}`;
    case 'line_format':
      return `| line_format ${quoted(template(of.template))}`;
    case 'label_format':
      return `| label_format ${of.labels.map(({ name, from }) => `${name}=${typeof from === 'string' ? from : quoted(template(from))}`).join(', ')}`;
    case 'decolorize':
      return '| decolorize';
    case 'drop':
    case 'keep':
      return `| ${of.kind} ${of.labels.map((one) => (one.matcher ? matcher(one.matcher) : one.name)).join(', ')}`;
  }
}

const extractions = (list: readonly Extraction[]) =>
  list.map(({ label, from }) => `${label}=${quoted(from)}`).join(', ');

function template(parts: readonly TemplatePart[]): string {
  return parts.map((part) => ('literal' in part ? part.literal : action(part))).join('');
}

function action({ field, calls }: Exclude<TemplatePart, { literal: string }>): string {
  const printed = calls.map(({ name, args }) =>
    [name, ...args.map((arg) => (name === 'trunc' ? arg : argument(arg)))].join(' '),
  );
  return `{{${[field === '__line__' ? field : `.${field}`, ...printed].join(' | ')}}}`;
}

/** Without the characters that end an action or a call for a reader that does not know strings. */
const argument = (text: string) =>
  quoted(text).replace(/[|{}]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Units that hold the number of the tree without a factor. */
const units = { number: '', duration: 'us', bytes: 'B' } as const;

function condition(of: LabelCondition): string {
  switch (of.kind) {
    case 'match':
      return matcher(of.matcher);
    case 'compare':
      return `${of.name} ${of.op} ${number(of.value)}${units[of.unit]}`;
    default:
      return `${side(of.left)} ${of.kind} ${side(of.right)}`;
  }
}

const side = (of: LabelCondition) => (of.kind === 'and' || of.kind === 'or' ? `(${condition(of)})` : condition(of));

/** Beyond the range of numbers: 1e999, which reads as infinite again. */
const number = (value: number) => (Number.isFinite(value) ? formatNumber(value) : value < 0 ? '-1e999' : '1e999');

function metric(expr: MetricExpr): string {
  switch (expr.kind) {
    case 'number':
      return number(expr.value);
    case 'constant':
      return `vector(${number(expr.value)})`;
    case 'range':
      return range(expr);
    case 'vector':
      return `${expr.op}(${parameter(expr.parameter)}${metric(expr.of)})${grouping(expr.grouping)}`;
    case 'label_replace': {
      const texts = [expr.target, expr.replacement, expr.source, expr.pattern].map(quoted);
      return `label_replace(${[metric(expr.of), ...texts].join(', ')})`;
    }
    case 'binary':
      return binary(expr);
  }
}

/** The range follows the selector, where the parser knows an offset before any pipeline. */
function range({ op, parameter: given, log: of, range_us, offset_us, unwrap, grouping: by }: RangeExpr): string {
  const offset = offset_us === 0 ? [] : [`offset ${duration(offset_us)}`];
  const selector = `${printSelector(of.matchers)}[${duration(range_us)}]`;
  const lines = [selector, ...offset, ...of.stages.map(stage), ...(unwrap ? [unwrapped(unwrap)] : [])].join(' ');
  return `${op}(${parameter(given)}${lines})${grouping(by)}`;
}

const parameter = (value: number | undefined) => (value === undefined ? '' : `${number(value)}, `);

/** Loki reads ranges in whole milliseconds. */
const duration = (us: number) => (us % 1000 === 0 ? `${number(us / 1000)}ms` : `${number(us)}us`);

function unwrapped({ label, convert, conditions }: Unwrap): string {
  const source = convert === 'number' ? label : `${convert}(${label})`;
  return [`| unwrap ${source}`, ...conditions.map((one) => `| ${condition(one)}`)].join(' ');
}

const grouping = (of: Grouping | undefined) => (of ? ` ${of.by ? 'by' : 'without'} (${of.labels.join(', ')})` : '');

function binary({ op, bool, matching, left, right }: Extract<MetricExpr, { kind: 'binary' }>): string {
  const modifiers = [
    ...(bool ? ['bool'] : []),
    ...(matching ? [`${matching.on ? 'on' : 'ignoring'} (${matching.labels.join(', ')})`] : []),
  ];
  return [operand(left), op, ...modifiers, operand(right)].join(' ');
}

/** In parentheses, so that the reader's precedence does not matter: `2 ^ (-1)`. */
const operand = (expr: MetricExpr) =>
  expr.kind === 'binary' || (expr.kind === 'number' && expr.value < 0) ? `(${metric(expr)})` : metric(expr);
