import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';

/** A block of commands in a page, and what the page says that it prints: nothing, where no answer follows. */
export interface Step {
  line: number;
  command: string;
  shown: { kind: 'json' | 'text'; text: string } | null;
}

/** Blocks that begin so are for reading, and say so to the reader. */
const NOT_RUN = '# Not run:';

/** The commands of a page, in its order. Whatever else it fences must be the answer to them, or it would go unchecked. */
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

/** All steps as one script, which ends at the first command that fails. */
export function asScript(steps: readonly Step[]): string {
  return ['set -euo pipefail', ...steps.map(({ command }) => `printf '\\x1e'\n${command}`)].join('\n');
}

/** What each step of the script has printed, as far as it came. */
export function outputsOf(stdout: string): string[] {
  return stdout.split(MARK).slice(1);
}

/**
 * Compares what was printed with what the page shows. It is the same but for times, ids, of which the same one on the
 * page is the same one in the session, and `…`, which stands for any text.
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

/** Ids as the how-manieth of the session, and times as no particular one. */
function nameless(text: string, ids: Map<string, string>): string {
  return text
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => {
      const name = ids.get(id) ?? `id ${ids.size + 1}`;
      ids.set(id, name);
      return name;
    })
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, 'a time');
}

/** A shown text with `…` in it as a pattern; everything else as it is. */
function pattern(value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('…')) return value;
  const literal = value.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${literal.join('.*')}$`, 's'));
}
