import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';

/** What can be written at a position of a query. */
export type Place =
  | { kind: 'label' }
  /** Inside the quotes after `label=`. */
  | { kind: 'value'; label: string }
  /** After `|`. */
  | { kind: 'stage' }
  | { kind: 'expression' }
  /** Inside any other text, or after a number. */
  | { kind: 'nothing' };

/** What can be written after a text in LogQL or PromQL, and where the current word begins. */
export function placeAt(before: string): { place: Place; from: number } {
  let braces = 0;
  let quote: { mark: string; at: number } | undefined;
  for (let at = 0; at < before.length; at += 1) {
    const letter = before.charAt(at);
    if (quote) {
      if (letter === '\\' && quote.mark !== '`') at += 1;
      else if (letter === quote.mark) quote = undefined;
    } else if (letter === '"' || letter === "'" || letter === '`') quote = { mark: letter, at };
    else if (letter === '{') braces += 1;
    else if (letter === '}') braces = Math.max(0, braces - 1);
  }
  if (quote) {
    const label = /([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)\s*$/.exec(before.slice(0, quote.at))?.[1];
    const place: Place = braces > 0 && label !== undefined ? { kind: 'value', label } : { kind: 'nothing' };
    return { place, from: quote.at + 1 };
  }
  const [word = ''] = /[A-Za-z_]\w*$/.exec(before) ?? [];
  const from = before.length - word.length;
  const ahead = before.slice(0, from).trimEnd();
  return { place: outsideText(ahead, braces > 0, /\d$/.test(before.slice(0, from))), from };
}

function outsideText(ahead: string, inBraces: boolean, afterNumber: boolean): Place {
  if (afterNumber) return { kind: 'nothing' };
  if (inBraces) return /[{,]$/.test(ahead) ? { kind: 'label' } : { kind: 'nothing' };
  if (/\b(?:by|without|on|ignoring)\s*\([^)]*$/.test(ahead)) return { kind: 'label' };
  if (ahead.endsWith('|')) return { kind: 'stage' };
  return { kind: 'expression' };
}

/** The words of a query language, and how labels are found. */
export interface Vocabulary {
  stages: readonly Completion[];
  /** Functions, operators and metrics. */
  expressions: () => Promise<readonly Completion[]>;
  labels: () => Promise<readonly string[]>;
  values: (label: string) => Promise<readonly string[]>;
}

/** Completes labels, their values, functions and stages. If a list cannot be loaded, nothing is offered. */
export function completionOf(vocabulary: Vocabulary): CompletionSource {
  return async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const { place, from } = placeAt(state.sliceDoc(0, pos));
    if (place.kind === 'expression' && from === pos && !explicit) return null;
    const options = await optionsFor(place, vocabulary).catch(() => []);
    return options.length === 0 ? null : { from, options: [...options], validFor: /^[\w.-]*$/ };
  };
}

async function optionsFor(place: Place, { stages, expressions, labels, values }: Vocabulary) {
  if (place.kind === 'stage') return stages;
  if (place.kind === 'expression') return expressions();
  if (place.kind === 'label') return (await labels()).map((label): Completion => ({ label, type: 'property' }));
  if (place.kind === 'nothing') return [];
  return (await values(place.label)).map(
    (label): Completion => ({ label, type: 'text', apply: JSON.stringify(label).slice(1, -1) }),
  );
}
