import { inflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { expect, test } from 'vitest';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import { pdfResponse } from './pdf';
import type { Invoice } from './schema';

type Line = Sendable<Invoice['lines'][number]>;
/** A piece of text on a page: left edge, right edge and base line, in points. */
type Piece = { text: string; left: number; right: number; base: number };

const exact = JsonNumber.money;

function usage(metric: Metric, position: number, used_in: string, quantity: string): Line {
  const { category, label, unit } = metrics[metric];
  const amounts = { quantity: exact(quantity), unit_price_usd: exact('0.024'), amount_usd: exact('2962962.94') };
  return { position, kind: 'usage', category, metric, label, unit, used_in, ...amounts };
}

/** As many lines as billing details can have, one of them too long for a line. */
const customer = {
  name: 'The Honourable Society of Improvers in the Knowledge of Agriculture',
  address_lines: ['Level 4', 'Building 12', '1 Main Street', 'Post box 17'],
  city: 'Springfield',
  postal_code: '62701',
  region: 'Illinois',
  country: 'US',
  tax_id: 'US-12-3456789',
  email: 'accounts-payable@improvers.example',
};

function invoiceOf(lines: Line[]): Sendable<Invoice> {
  const payment = {
    status: 'open',
    card: null,
    attempts: 0,
    failure: null,
    next_attempt_at: null,
    paid_at: null,
  } as const;
  const sums = { subtotal_usd: exact('8888888.82'), credit_usd: exact('0'), due_usd: exact('8888888.82') };
  return {
    id: '',
    number: 'INV-000043',
    month: '2027-10',
    issued_at: '2027-11-01T06:01:00.000Z',
    ...sums,
    customer,
    payment,
    lines,
  };
}

/** The pieces of text on each page of an invoice. */
async function pagesOf(invoice: Sendable<Invoice>): Promise<Piece[][]> {
  const parties = {
    seller: { name: 'Nephele', address: ['1 Main Street', 'Springfield'] },
    customer: { id: '', name: 'Acme', slug: 'acme' },
  };
  const pdf = Buffer.from(await pdfResponse({ invoice, parties }).arrayBuffer());
  const pages: Piece[][] = [];
  for (let from = pdf.indexOf('stream\n'); from >= 0; from = pdf.indexOf('stream\n', from + 7)) {
    if (pdf.subarray(from - 3, from).toString() === 'end') continue;
    const stream = pdf.subarray(from + 7, pdf.indexOf('endstream', from));
    const pieces = piecesOf(inflateSync(stream, { finishFlush: 2 }).toString('latin1'));
    if (pieces.length > 0) pages.push(pieces);
  }
  return pages;
}

function piecesOf(content: string): Piece[] {
  const fonts = new PDFDocument();
  const shown = content.matchAll(/1 0 0 1 ([\d.]+) ([\d.]+) Tm\n\/F\d+ ([\d.]+) Tf\n\[([^\]]*)\] TJ/g);
  return [...shown].map(([, left = '', base = '', size = '', codes = '']) => {
    const text = [...codes.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    );
    const width = fonts.font('Helvetica').fontSize(Number(size)).widthOfString(text.join(''));
    return { text: text.join(''), left: Number(left), right: Number(left) + width, base: Number(base) };
  });
}

test('every line of an invoice is legible: no text is cut off or overlaps', async () => {
  const lines = metricNames.flatMap((metric, index) => [
    usage(metric, index * 2 + 1, '2027-10', '123456789.123456'),
    usage(metric, index * 2 + 2, '2027-09', '1234567.123456'),
  ]);
  const pages = await pagesOf(invoiceOf(lines));
  expect(pages.length).toBeGreaterThan(1);
  const shown = pages.flat().map(({ text }) => text);
  for (const { label } of Object.values(metrics))
    expect(shown.filter((text) => text === label).length).toBeGreaterThan(1);
  expect(shown.filter((text) => text === 'Used in September 2027')).toHaveLength(metricNames.length);
  for (const page of pages) {
    for (const one of page) {
      expect([one.text, one.left >= 50 && one.right <= 545]).toEqual([one.text, true]);
      // 9.5 points high: closer lines touch.
      const touching = page.filter(
        (other) => Math.abs(other.base - one.base) < 9 && other.left < one.right && one.left < other.right,
      );
      expect(touching.map(({ text }) => text)).toEqual([one.text]);
    }
  }
});
