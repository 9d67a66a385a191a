import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';

/** A command block of a page and its documented output: empty if no answer follows. */
export interface Step {
  line: number;
  command: string;
  shown: { kind: 'json' | 'text'; text: string } | null;
}

/** Blocks with this first line are not run, and tell the reader so. */
const NOT_RUN = '# Not run:';

/** The commands of a page, in order. Every other fenced block must be the answer to one, or it would not be checked. */
export function readSteps(page: string): Step[] {
  const text = readFileSync(page, 'utf8');
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const steps: Step[] = [];
  let end = -1;
  for (const { 0: fence, 1: kind, 2: body = '', index } of fences) {
    const line = text.slice(0, index).split('\n').length;
    const answered = steps.at(-1);
    if (kind === 'sh') {
      if (!body.startsWith(NOT_RUN)) steps.push({ line, command: body, shown: null });
      end = body.startsWith(NOT_RUN) ? -1 : index + fence.length;
    } else if ((kind === 'json' || kind === 'text') && answered && end > 0 && text.slice(end, index).trim() === '') {
      answered.shown = { kind, text: body };
      end = -1;
    } else {
      throw new Error(`${page}:${line}: a block of "${kind}" must follow the commands that print it.`);
    }
  }
  return steps;
}

const MARK = '\x1e';

/** All steps as one script, which stops at the first command that fails. */
export function asScript(steps: readonly Step[]): string {
  return ['set -euo pipefail', ...steps.map(({ command }) => `printf '\\x1e'\n${command}`)].join('\n');
}

/** The output of each step of the script, as far as it ran. */
export function outputsOf(stdout: string): string[] {
  return stdout.split(MARK).slice(1);
}

/**
 * Compares the output with the page. They must be equal except for times, for ids (which must be used consistently),
 * and for `…`, which matches any text.
 */
export class Comparison {
  private readonly shownIds = new Map<string, string>();
  private readonly printedIds = new Map<string, string>();

  expectSame(where: string, printed: string, shown: Step['shown']): void {
    const actual = nameless(printed, this.printedIds);
    const expected = nameless(shown?.text ?? '', this.shownIds);
    if (shown?.kind === 'json') {
      expect(JSON.parse(actual), where).toEqual(JSON.parse(expected, (_, value) => pattern(value)));
    } else {
      expect(actual.trimEnd().split('\n'), where).toEqual(expected.trimEnd().split('\n').map(pattern));
    }
  }
}

/** Replaces ids by their ordinal number in the session, and times by a placeholder. */
function nameless(text: string, ids: Map<string, string>): string {
  return text
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => {
      const name = ids.get(id) ?? `id ${ids.size + 1}`;
      ids.set(id, name);
      return name;
    })
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, 'a time');
}

/** Turns a text with `…` into a pattern; leaves everything else unchanged. */
function pattern(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('…')) return value;
  const literal = value.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${literal.join('.*')}$`, 's'));
}
