import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Font, openSync } from 'fontkit';

/**
 * Letters that the fonts of every PDF reader do not know, as outlines. Fonts on the web come in parts by script: each is
 * opened when a letter of it is met, and stays open.
 */
const families = [
  { name: 'inter', weight: 0 },
  // Their files begin at the thinnest weight: a stroke along the outline, in parts of the letter's height, makes it regular.
  { name: 'noto-sans-sc', weight: 0.045 },
  { name: 'noto-sans-kr', weight: 0.045 },
  { name: 'noto-emoji', weight: 0.02 },
] as const;

type Part = { file: string; weight: number; ranges: [first: number, last: number][]; font?: Font };
let known: Part[] | undefined;

function parts(): Part[] {
  known ??= families.flatMap(({ name, weight }) => {
    // Read as files, where the platform runs: a bundler would make modules of them.
    const folder = join(/* turbopackIgnore: true */ process.cwd(), 'node_modules/@fontsource-variable', name);
    const listed: Record<string, string> = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'));
    return Object.entries(listed).map(([part, ranges]) => ({
      file: join(folder, 'files', `${name}-${part.replace(/^\[(\d+)\]$/, '$1')}-wght-normal.woff2`),
      weight,
      ranges: ranges.split(',').map(rangeOf),
    }));
  });
  return known;
}

/** `U+0460-052F` */
function rangeOf(text: string): [number, number] {
  const [first = '', last = first] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

function fontOf(codePoint: number): { font: Font; weight: number } | undefined {
  for (const part of parts()) {
    if (!part.ranges.some(([first, last]) => first <= codePoint && codePoint <= last)) continue;
    part.font ??= openFont(part.file);
    if (part.font.hasGlyphForCodePoint(codePoint)) return { font: part.font, weight: part.weight };
  }
  return undefined;
}

function openFont(file: string): Font {
  const font = openSync(file);
  if (!('layout' in font)) throw new Error(`${file} holds several fonts`);
  return font;
}

/** A letter as it is drawn. Its unit is the height of a line of letters; y goes up from the base line. */
export type Outline = {
  text: string;
  /** How far the next letter is. */
  advance: number;
  shapes: { path: string; x: number; y: number; scale: number }[];
  /** How wide the stroke along the outline is that gives it the regular weight. */
  stroke: number;
};

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text letter by letter: what belongs together, such as an accent or a family of emoji, is one. */
export function outlinesOf(text: string): Outline[] {
  return [...letters.segment(text.normalize('NFC'))].map(({ segment }) => outlineOf(segment) ?? unknownLetter(segment));
}

function outlineOf(letter: string): Outline | undefined {
  const found = fontOf(letter.codePointAt(0) ?? 0);
  if (!found) return undefined;
  const { font, weight } = found;
  const { glyphs, positions } = font.layout(letter);
  const scale = 1 / font.unitsPerEm;
  let advance = 0;
  const shapes: Outline['shapes'] = [];
  for (const [index, glyph] of glyphs.entries()) {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
    // Number 0 stands for what the font does not have.
    const path = glyph.id === 0 ? '' : glyph.path.toSVG();
    if (path) shapes.push({ path, x: advance + xOffset * scale, y: yOffset * scale, scale });
    advance += xAdvance * scale;
  }
  return { text: letter, advance, shapes, stroke: weight };
}

/** A script that none of the fonts has: an empty box says that there is something, as it does on a screen. */
function unknownLetter(text: string): Outline {
  const path = 'M80 0L80 700L520 700L520 0ZM130 50L470 50L470 650L130 650Z';
  return { text, advance: 0.6, shapes: [{ path, x: 0, y: 0, scale: 0.001 }], stroke: 0 };
}
