import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import { outlinesOf } from './outlines';
import { writeName } from './write';

const style = { size: 10, colour: '#000000', width: 200 };

/** The content stream of a PDF page with that name. */
async function pageWith(name: string, width = style.width): Promise<{ content: string; below: number }> {
  const doc = new PDFDocument({ compress: false, info: { CreationDate: new Date(0) } });
  const bytes = buffer(doc);
  const below = writeName(doc, name, 50, 50, { ...style, width });
  doc.end();
  return { content: (await bytes).toString('latin1'), below };
}

/** The searchable text of drawn outlines, line by line: UTF-16, in the brackets of PDF strings. */
function readableIn(content: string): string[] {
  return [...content.matchAll(/\/ActualText \(þÿ([\s\S]*?)\)\n>>/g)].map(([, quoted = '']) => {
    const bytes = quoted.replace(
      /\\(.)/g,
      (_, sign: string) => ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' })[sign] ?? sign,
    );
    return Buffer.from(bytes, 'latin1').swap16().toString('utf16le');
  });
}

describe('a name', () => {
  test.each([
    ['Czech and Polish', 'Žluťoučký Łódź'],
    ['Greek and Cyrillic', 'Ελλάς Привет'],
    ['Vietnamese', 'Đặng Thị Hương'],
    ['Han and kana', '漢字商事 カタカナ ひらがな'],
    ['Hangul', '한국 회사'],
    ['emoji, of several signs too', '🚀 👩‍🚀 🇨🇿'],
  ])('in %s is drawn as outlines', (_, name) => {
    const boxes = outlinesOf('\u{10ffff}');
    for (const letter of outlinesOf(name)) {
      expect(letter.advance).toBeGreaterThan(0);
      if (letter.text === ' ') continue;
      expect(letter.shapes.length, letter.text).toBeGreaterThan(0);
      expect(letter.shapes[0]?.path, letter.text).not.toBe(boxes[0]?.shapes[0]?.path);
    }
  });

  test('in a script without a font here shows placeholder boxes', () => {
    expect(outlinesOf('ไทย').map(({ shapes }) => shapes.length)).toEqual([1, 1, 1]);
  });

  test('drawn as outlines can be searched and copied', async () => {
    const { content } = await pageWith('Łódź 漢字 🚀');
    expect(readableIn(content)).toEqual(['Łódź 漢字 🚀']);
  });

  test('of Latin letters stays text', async () => {
    const { content } = await pageWith('Crème brûlée & Söhne, 20 €');
    expect(content).not.toContain('ActualText');
    expect(content).toContain('TJ');
  });

  test('that is long breaks at spaces, or else between letters', async () => {
    const polish = await pageWith('Łódź Łódź Łódź Łódź', 60);
    expect(readableIn(polish.content)).toEqual(['Łódź Łódź', 'Łódź Łódź']);
    const han = await pageWith('漢字商事漢字商事', 45);
    expect(readableIn(han.content)).toEqual(['漢字商事', '漢字商事']);
    expect(han.below).toBeCloseTo(50 + 2 * 1.156 * 10, 3);
  });
});
