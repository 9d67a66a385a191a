import type { PaletteCommand } from './commands';
import type { SearchResult } from './found';

/** A line with how well it answers the text: 1 best, 0 not at all. */
interface Ranked extends PaletteCommand {
  score: number;
}

/** Lines under one heading, best first. */
export interface PaletteGroup {
  heading: string;
  lines: readonly PaletteCommand[];
}

/** How well a label answers the text: by its beginning, the beginning of a word, any part, another name for it. */
export function rank(label: string, keywords: readonly string[], text: string): number {
  const [name, words] = [label.toLowerCase(), text.trim().toLowerCase()];
  if (name.startsWith(words)) return 1;
  if (name.includes(` ${words}`)) return 0.8;
  if (name.includes(words)) return 0.5;
  return keywords.some((keyword) => keyword.toLowerCase().startsWith(words)) ? 0.3 : 0;
}

/**
 * The lines that answer a text, in groups: the group with the best line first, otherwise in the order given.
 * @param found lines that the server found: they answer the text, whatever their label
 */
export function groupsFor(
  text: string,
  commands: readonly PaletteCommand[],
  found: readonly PaletteCommand[] = [],
): PaletteGroup[] {
  const ranked: Ranked[] = [
    ...commands.map((command) => ({ ...command, score: rank(command.label, command.keywords ?? [], text) })),
    ...found.map((command) => ({ ...command, score: Math.max(FOUND, rank(command.label, [], text)) })),
  ].filter(({ score }) => score > 0);
  return [...new Set(ranked.map(({ group }) => group))]
    .map((heading) => ({
      heading,
      lines: ranked.filter(({ group }) => group === heading).toSorted((one, other) => other.score - one.score),
    }))
    .toSorted((one, other) => bestOf(other.lines) - bestOf(one.lines));
}

/** By its id, address or tag: better than another name of a page. */
const FOUND = 0.4;

function bestOf(lines: readonly Ranked[]): number {
  return lines[0]?.score ?? 0;
}

/** Text for the search on the server, and the verb beside it. */
export interface Asked {
  name: string;
  verb: string;
}

const verbs = [
  'open',
  'start',
  'stop',
  'reboot',
  'pause',
  'unpause',
  'rebuild',
  'attach',
  'detach',
  'resize',
  'create',
  'delete',
  'show',
  'associate',
  'disassociate',
  'release',
  'edit',
  'rename',
  'change',
  'suspend',
  'resume',
  'reset',
  'remove',
  'upgrade',
  'scale',
  'back',
  'fail',
  'roll',
  'download',
  'restore',
];

/** Shorter beginnings of verbs are more often part of a name. */
const SHORTEST_VERB = 3;

/** Reads "web-1: reboot", "web-1 reboot" and "reboot web-1"; any other text is a name. */
export function readAsked(text: string): Asked {
  const [name = '', verb] = text.split(/:\s+|:$/, 2);
  if (verb !== undefined) return { name: name.trim(), verb: verb.trim().toLowerCase() };
  const words = text.trim().split(/\s+/);
  const [first = '', last = ''] = [words[0], words.at(-1)].map((word) => word?.toLowerCase());
  if (words.length > 1 && isVerb(last)) return { name: words.slice(0, -1).join(' '), verb: last };
  if (words.length > 1 && isVerb(first)) return { name: words.slice(1).join(' '), verb: first };
  return { name: text.trim(), verb: '' };
}

function isVerb(word: string): boolean {
  return word.length >= SHORTEST_VERB && verbs.some((verb) => verb.startsWith(word));
}

/** The result that verbs are offered for: the first that is named like the text, else the first. */
export function bestMatch(results: readonly SearchResult[], name: string): SearchResult | undefined {
  return results.find((result) => result.name.toLowerCase() === name.toLowerCase()) ?? results[0];
}
