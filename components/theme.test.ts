import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Theme = 'light' | 'dark';

const css = readFileSync(new URL('../app/globals.css', import.meta.url), 'utf8');

/** The tokens declared in the rule that opens with `selector`, as they read in one theme. */
function tokens(selector: string, theme: Theme): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`app/globals.css has no rule ${selector}`);
  const rule = css.slice(start, css.indexOf('\n}', start));
  const found = new Map<string, string>();
  for (const [, name, value] of rule.matchAll(/--([\w-]+): (.+);/g)) {
    if (!name || !value) continue;
    const halves = /^light-dark\((oklch\(.+?\)), (oklch\(.+?\))\)$/.exec(value);
    found.set(name, (theme === 'light' ? halves?.[1] : halves?.[2]) ?? value);
  }
  return found;
}

/** Relative luminance (WCAG 2.2) of an opaque OKLCH colour, through linear sRGB. */
function luminance(color: string): number {
  const parts = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(color);
  if (!parts) throw new Error(`not an opaque oklch colour: ${color}`);
  const [lightness = 0, chroma = 0, hue = 0] = parts.slice(1).map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(palette: Map<string, string>, front: string, back: string): number {
  const [dark = 0, light = 0] = [front, back]
    .map((name) => {
      const value = palette.get(name);
      if (!value) throw new Error(`no token --${name}`);
      return luminance(value);
    })
    .sort((one, two) => one - two);
  return (light + 0.05) / (dark + 0.05);
}

const pair = (front: string, back: string): [string, string] => [front, back];
const grounds = ['canvas', 'sunken', 'surface', 'raised', 'hover'];
const text: [front: string, back: string][] = [
  ...['ink', 'ink-muted'].flatMap((ink) => grounds.map((ground) => pair(ink, ground))),
  ...['canvas', 'sunken', 'surface', 'raised'].map((ground) => pair('ink-subtle', ground)),
  ...['canvas', 'surface', 'raised', 'accent-soft'].map((ground) => pair('accent', ground)),
  ['ink', 'accent-soft'],
  ['accent-ink', 'accent'],
  ['accent-ink', 'accent-hover'],
  ['critical-fill-ink', 'critical'],
  ['critical-fill-ink', 'critical-hover'],
  ...['positive', 'caution', 'critical', 'moving'].flatMap((state) => [
    pair(`${state}-ink`, `${state}-soft`),
    pair(`${state}-ink`, 'canvas'),
    pair(`${state}-ink`, 'surface'),
    pair('ink', `${state}-soft`),
    pair('ink-muted', `${state}-soft`),
  ]),
];
const marks: [shape: string, back: string][] = [
  ...['canvas', 'surface'].map((ground) => pair('focus', ground)),
  ...['line-strong', 'positive', 'critical', 'moving'].map((shape) => pair(shape, 'surface')),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((line) => pair(`series-${line}`, 'surface')),
];

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const portal = tokens(':root', theme);
  const backOffice = new Map([...portal, ...tokens(':root:has([data-realm="backoffice"])', theme)]);

  test.each(text)('--%s is readable on --%s (AA, 4.5)', (front, back) => {
    expect(contrast(portal, front, back)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(backOffice, front, back)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(marks)('--%s stands out on --%s (non-text, 3.0)', (front, back) => {
    expect(contrast(portal, front, back)).toBeGreaterThanOrEqual(3);
    expect(contrast(backOffice, front, back)).toBeGreaterThanOrEqual(3);
  });

  test('the band of the back office is readable', () => {
    expect(contrast(backOffice, 'band-ink', 'band')).toBeGreaterThanOrEqual(7);
  });
});
