import type { Labels } from '../labels';
import type { CompareOp, LabelCondition, LogExpr, Matcher, Stage } from './ast';
import { flatten, follow, readJson } from './json';
import { readLogfmt } from './logfmt';
import { matchPattern } from './pattern';
import { regexOf } from './regex';
import { render } from './template';
import { parseBytes, parseDuration, parseNumber } from './units';

/** A line on its way through a pipeline. Labels are replaced, never changed: lines of a stream share them. */
export type Entry = { at_us: number; line: string; labels: Labels };

/** Changes an entry; false: the line does not pass. */
export type Step = (entry: Entry) => boolean;

export const ERROR = '__error__';
const ERROR_DETAILS = '__error_details__';

/** Whether the labels of a stream fit a selector. */
export function selects(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map(matcherOf);
  return (labels) => tests.every((test) => test(labels));
}

function matcherOf({ name, op, value }: Matcher): (labels: Labels) => boolean {
  if (op === '=') return (labels) => (labels[name] ?? '') === value;
  if (op === '!=') return (labels) => (labels[name] ?? '') !== value;
  const regex = regexOf(value, true);
  const wanted = op === '=~';
  return (labels) => regex.test(labels[name] ?? '') === wanted;
}

/** All stages of a query as one step. @param stream the labels that the stream has: a parser does not replace them */
export function pipelineOf(stages: readonly Stage[], stream: Labels): Step {
  const steps = stages.map((stage) => stepOf(stage, stream));
  return (entry) => steps.every((step) => step(entry));
}

/**
 * The texts that every line of the answer holds before anything changes it, the longest first: the filters ahead of the
 * first `line_format` or `decolorize`. Chunks without them need no reading.
 */
export function requiredTexts({ stages }: LogExpr): string[] {
  const rewritten = stages.findIndex(({ kind }) => kind === 'line_format' || kind === 'decolorize');
  const ahead = rewritten < 0 ? stages : stages.slice(0, rewritten);
  const texts = ahead.flatMap((stage) =>
    stage.kind === 'line' && stage.op === '|=' && stage.texts.length === 1 ? stage.texts : [],
  );
  return texts.toSorted((one, other) => other.length - one.length);
}

function stepOf(stage: Stage, stream: Labels): Step {
  switch (stage.kind) {
    case 'line':
      return lineStep(stage);
    case 'json':
      return jsonStep(stage, stream);
    case 'logfmt':
      return logfmtStep(stage, stream);
    case 'regexp': {
      const regex = regexOf(stage.pattern, false);
      return (entry) => extract(entry, stream, regex.groups(entry.line) ?? []);
    }
    case 'pattern':
      return (entry) => extract(entry, stream, matchPattern(stage.parts, entry.line));
    case 'filter':
      return conditionOf(stage.condition);
    case 'line_format':
      return (entry) => {
        entry.line = render(stage.template, entry.line, entry.labels);
        return true;
      };
    case 'label_format':
      return labelFormatStep(stage);
    case 'decolorize':
      return (entry) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of terminals begin with an escape
        entry.line = entry.line.replace(/\u001b\[[\d;]*[a-zA-Z]/g, '');
        return true;
      };
    case 'drop':
    case 'keep':
      return labelListStep(stage);
  }
}

function lineStep({ op, texts }: Extract<Stage, { kind: 'line' }>): Step {
  const isPattern = op === '|~' || op === '!~';
  const tests = texts.map((text) => {
    if (!isPattern) return (line: string) => line.includes(text);
    const regex = regexOf(text, false);
    return (line: string) => regex.test(line);
  });
  const wanted = op === '|=' || op === '|~';
  return ({ line }) => tests.some((test) => test(line)) === wanted;
}

/** Adds labels to an entry: a name that the stream has gets `_extracted`, and the first value of a name stays. */
function extract(entry: Entry, stream: Labels, found: readonly [string, string][]): true {
  if (found.length === 0) return true;
  const labels: Record<string, string> = { ...entry.labels };
  const taken = new Set<string>();
  for (const [key, value] of found) {
    const name = labelName(key);
    const free = Object.hasOwn(stream, name) ? `${name}_extracted` : name;
    const isKnown = taken.has(free) || (Object.hasOwn(entry.labels, free) && !Object.hasOwn(stream, free));
    taken.add(free);
    if (name === '' || value === '' || isKnown) continue;
    labels[free] = value;
  }
  entry.labels = labels;
  return true;
}

/** A key as the name of a label. */
function labelName(key: string): string {
  const name = key.trim().replace(/[^A-Za-z0-9_]/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

function setError(entry: Entry, error: string, details: string): true {
  if (entry.labels[ERROR] === undefined) entry.labels = { ...entry.labels, [ERROR]: error, [ERROR_DETAILS]: details };
  return true;
}

function jsonStep({ extractions }: Extract<Stage, { kind: 'json' }>, stream: Labels): Step {
  return (entry) => {
    const json = readJson(entry.line);
    if (!json || (json.kind !== 'object' && extractions.length === 0)) {
      return setError(entry, 'JSONParserErr', 'the line is not a JSON object');
    }
    const found =
      extractions.length === 0
        ? flatten(json)
        : extractions.map(({ label, path }): [string, string] => [label, follow(json, path)]);
    return extract(entry, stream, found);
  };
}

function logfmtStep(stage: Extract<Stage, { kind: 'logfmt' }>, stream: Labels): Step {
  const { strict, keep_empty, extractions } = stage;
  return (entry) => {
    const { pairs, broken } = readLogfmt(entry.line);
    if (broken && strict) return setError(entry, 'LogfmtParserErr', 'the line is not logfmt');
    const found =
      extractions.length === 0
        ? pairs
        : extractions.map(({ label, from }): [string, string] => [
            label,
            pairs.find(([key]) => key === from)?.[1] ?? '',
          ]);
    extract(entry, stream, found);
    if (keep_empty) keepEmpty(entry, found);
    return true;
  };
}

function keepEmpty(entry: Entry, found: readonly [string, string][]): void {
  const empty = found.flatMap(([key, value]) => (value === '' ? [[labelName(key), '']] : []));
  entry.labels = { ...Object.fromEntries(empty), ...entry.labels };
}

function labelFormatStep({ labels: formats }: Extract<Stage, { kind: 'label_format' }>): Step {
  return (entry) => {
    const labels: Record<string, string> = { ...entry.labels };
    for (const { name, from } of formats) {
      if (typeof from === 'string') {
        const value = labels[from];
        if (value === undefined) continue;
        delete labels[from];
        labels[name] = value;
      } else {
        const value = render(from, entry.line, labels);
        if (value === '') delete labels[name];
        else labels[name] = value;
      }
    }
    entry.labels = labels;
    return true;
  };
}

function labelListStep({ kind, labels: listed }: Extract<Stage, { kind: 'drop' | 'keep' }>): Step {
  const tests = listed.map(({ name, matcher }) => ({ name, matches: matcher ? matcherOf(matcher) : () => true }));
  const isListed = (name: string, labels: Labels) => tests.some((test) => test.name === name && test.matches(labels));
  const isKept = (name: string, labels: Labels) =>
    kind === 'drop' ? !isListed(name, labels) : isListed(name, labels) || name === ERROR || name === ERROR_DETAILS;
  return (entry) => {
    const { labels } = entry;
    entry.labels = Object.fromEntries(Object.entries(labels).filter(([name]) => isKept(name, labels)));
    return true;
  };
}

const compare: Readonly<Record<CompareOp, (one: number, other: number) => boolean>> = {
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
};
export const comparisons = compare;

/** The number of a label's text, by unit. */
export const numberReaders = { number: parseNumber, duration: parseDuration, bytes: parseBytes } as const;

export function conditionOf(condition: LabelCondition): Step {
  if (condition.kind === 'match') {
    const test = matcherOf(condition.matcher);
    return ({ labels }) => test(labels);
  }
  if (condition.kind !== 'compare') {
    const [left, right] = [conditionOf(condition.left), conditionOf(condition.right)];
    return condition.kind === 'and' ? (entry) => left(entry) && right(entry) : (entry) => left(entry) || right(entry);
  }
  const { name, op, unit, value } = condition;
  const read = numberReaders[unit];
  return (entry) => {
    // As in Loki: a line with an error passes, so that nothing is lost silently.
    if (entry.labels[ERROR] !== undefined) return true;
    const text = entry.labels[name];
    if (text === undefined) return false;
    const number = read(text);
    if (number === undefined) return setError(entry, 'LabelFilterErr', `the label ${name} is no ${unit}`);
    return compare[op](number, value);
  };
}
