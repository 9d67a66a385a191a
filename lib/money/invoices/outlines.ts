import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Font, openSync } from 'fontkit';

/**
 * Fonts for letters that the standard PDF fonts lack, drawn as outlines. Web fonts are split by script: each part is
 * opened when one of its letters first occurs, and stays open.
 */
const families = [
  { name: 'inter', weight: 0 },
  // These files start at the thinnest weight; a stroke along the outline, as a fraction of the letter's height, makes
  // it regular.
  { name: 'noto-sans-sc', weight: 0.045 },
  { name: 'noto-sans-kr', weight: 0.045 },
  { name: 'noto-emoji', weight: 0.02 },
] as const;

type Part = { file: string; weight: number; ranges: [first: number, last: number][]; font?: Font };
let known: Part[] | undefined;

function parts(): Part[] {
  known ??= families.flatMap(({ name, weight }) => {
    // Read from disk at run time: a bundler would turn them into modules.
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

/** A letter as an outline. The unit is the height of a line of letters; y points up from the base line. */
export type Outline = {
  text: string;
  /** The distance to the next letter. */
  advance: number;
  shapes: { path: string; x: number; y: number; scale: number }[];
  /** The width of the stroke that gives the outline its regular weight. */
  stroke: number;
};

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into graphemes: an accented letter or a family of emoji is one. */
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
    // Glyph 0 stands for a letter that the font lacks.
    const path = glyph.id === 0 ? '' : glyph.path.toSVG();
    if (path) shapes.push({ path, x: advance + xOffset * scale, y: yOffset * scale, scale });
    advance += xAdvance * scale;
  }
  return { text: letter, advance, shapes, stroke: weight };
}

/** A letter in none of the fonts: an empty box, as on a screen. */
function unknownLetter(text: string): Outline {
  const path = 'M80 0L80 700L520 700L520 0ZM130 50L470 50L470 650L130 650Z';
  return { text, advance: 0.6, shapes: [{ path, x: 0, y: 0, scale: 0.001 }], stroke: 0 };
}
