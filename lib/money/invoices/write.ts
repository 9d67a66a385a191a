import { type Outline, outlinesOf } from './outlines';

/** The style of a name: height in points, colour, and width at which it breaks. */
export type NameStyle = {
  size: number;
  bold?: boolean;
  colour: string;
  width: number;
  align?: 'left' | 'right';
};

// As in Helvetica, so that both kinds of lines align.
const LINE = 1.156;
const BASE = 0.718;
// A wider stroke makes bold; letters with a stroke already and with many lines need less.
const BOLD = { alone: 0.028, more: 0.012 };

/** Whether the standard PDF fonts can show the text. */
const isPlain = (text: string) => /^[\u0020-\u007e\u00a0-\u00ff€–—‘’“”•…]*$/.test(text);

/**
 * Writes a name in any script: as text if possible, otherwise as outlines with searchable text. A long name breaks.
 * @returns the y position of the next line
 */
export function writeName(doc: PDFKit.PDFDocument, text: string, x: number, y: number, style: NameStyle): number {
  const { size, bold = false, colour, width, align = 'left' } = style;
  if (isPlain(text)) {
    doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor(colour);
    doc.text(text, x, y, { width, align });
    return doc.y;
  }
  let top = y;
  for (const line of broken(outlinesOf(text), width / size)) {
    const indent = align === 'right' ? width - widthOf(line) * size : 0;
    doc.markContent('Span', { actual: line.map((letter) => letter.text).join('') });
    drawLine(doc, line, x + indent, top + BASE * size, style);
    doc.endMarkedContent();
    top += LINE * size;
  }
  return top;
}

function drawLine(doc: PDFKit.PDFDocument, line: readonly Outline[], x: number, base: number, style: NameStyle): void {
  const { size, bold = false, colour } = style;
  let at = x;
  for (const { advance, shapes, stroke } of line) {
    const along = stroke + (bold ? BOLD[stroke === 0 ? 'alone' : 'more'] : 0);
    for (const shape of shapes) {
      const scale = shape.scale * size;
      doc
        .save()
        .translate(at + shape.x * size, base - shape.y * size)
        .scale(scale, -scale)
        .path(shape.path);
      if (along === 0) doc.fill(colour);
      else
        doc
          .lineJoin('round')
          .lineWidth(along / shape.scale)
          .fillAndStroke(colour, colour);
      doc.restore();
    }
    at += advance * size;
  }
}

const widthOf = (line: readonly Outline[]) => line.reduce((sum, { advance }) => sum + advance, 0);

/** Breaks letters into lines of at most this width, at spaces, or else between letters. */
function broken(letters: readonly Outline[], width: number): Outline[][] {
  const lines: Outline[][] = [];
  let line: Outline[] = [];
  for (const letter of letters) {
    if (widthOf(line) + letter.advance > width && line.length > 0) {
      const blank = line.findLastIndex(({ text }) => text === ' ');
      lines.push(blank > 0 ? line.slice(0, blank) : line);
      line = blank > 0 ? line.slice(blank + 1) : [];
    }
    line.push(letter);
  }
  if (line.length > 0) lines.push(line);
  return lines;
}
