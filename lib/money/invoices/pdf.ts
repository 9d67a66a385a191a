import { PassThrough, Readable } from 'node:stream';
import { Decimal } from 'decimal.js';
import PDFDocument from 'pdfkit';
import type { JsonNumber, Sendable } from '@/lib/core/api/json';
import { countryName } from '@/lib/format/countries';
import { invoiceHeadings } from '@/lib/money/metering/categories';
import type { Customer } from './details-schema';
import type { Invoice } from './schema';
import type { Parties } from './service';
import { writeName } from './write';

type Line = Sendable<Invoice['lines'][number]>;

const MARGIN = 56;
const BOTTOM = 770;
const RIGHT = 595 - MARGIN;
const ink = '#15202b';
const muted = '#5b6b7a';
const rule = '#d5dde4';
const brand = { high: '#7cc4e8', middle: '#3d93c9', low: '#1f5f99' };
/** Right edges of the number columns; the description starts at the margin. */
const columns = { quantity: 355, price: 445, amount: RIGHT };

/** The logo of components/brand, with the same paths. */
const mark = [
  [brand.high, 'M5 3h7a2.5 2.5 0 0 1 0 5H5a2.5 2.5 0 0 1 0-5zM19 3a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z'],
  [
    brand.middle,
    'M5 9.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zM11 9.5h2a2.5 2.5 0 0 1 0 5h-2a2.5 2.5 0 0 1 0-5zM19 9.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z',
  ],
  [brand.low, 'M5 16a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zM12 16h7a2.5 2.5 0 0 1 0 5h-7a2.5 2.5 0 0 1 0-5z'],
] as const;

const dollars = (amount: number | JsonNumber) => `$${grouped(new Decimal(text(amount)).toFixed(2))}`;
const exact = (amount: number | JsonNumber) => grouped(new Decimal(text(amount)).toFixed());
const text = (amount: number | JsonNumber) => (typeof amount === 'number' ? String(amount) : amount.text);
const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

function monthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

const day = (at: string) =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The download of an invoice. */
export function pdfResponse(whole: { invoice: Sendable<Invoice>; parties: Parties }): Response {
  const headers = {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${whole.invoice.number}.pdf"`,
  };
  const bytes = new PassThrough();
  drawInvoice(whole).pipe(bytes);
  return new Response(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, { headers });
}

/** An A4 invoice with both parties, each line, credit used and the amount due. The same invoice gives the same file. */
function drawInvoice({ invoice, parties }: { invoice: Sendable<Invoice>; parties: Parties }): PDFKit.PDFDocument {
  const { number, month, issued_at } = invoice;
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    lang: 'en',
    info: { Title: `Invoice ${number}`, Author: parties.seller.name, CreationDate: new Date(issued_at) },
  });
  doc.page.margins.bottom = 0;
  heading(doc, parties);
  doc.font('Helvetica-Bold').fontSize(24).fillColor(ink).text('Invoice', MARGIN, 132);
  const facts = [
    ['Number', number],
    ['Issued', day(issued_at)],
    ['Period', monthName(month)],
  ] as const;
  facts.forEach(([label, value], row) => {
    small(doc, label, MARGIN, 176 + row * 15);
    doc.fillColor(ink).text(value, MARGIN + 70, 176 + row * 15);
  });
  small(doc, 'Billed to', 330, 176);
  let y = tableHead(doc, Math.max(246, billedTo(doc, invoice.customer, parties.customer.slug) + 28));
  let category = '';
  for (const line of invoice.lines) {
    const begins = line.category !== category;
    if (y + (begins ? 22 : 0) + heightOf(line, month) > BOTTOM - 40) {
      doc.addPage();
      doc.page.margins.bottom = 0;
      y = tableHead(doc, MARGIN);
    }
    if (begins) {
      doc
        .font('Helvetica-Bold')
        .fontSize(9.5)
        .fillColor(ink)
        .text(invoiceHeadings[line.category] ?? line.category, MARGIN, y + 7);
      y += 22;
      category = line.category;
    }
    y = drawLine(doc, line, month, y);
  }
  totals(doc, invoice, y);
  footers(doc, number);
  doc.end();
  return doc;
}

function heading(doc: PDFKit.PDFDocument, { seller }: Parties): void {
  doc
    .save()
    .translate(MARGIN - 3, 49)
    .scale(1.35);
  for (const [colour, path] of mark) doc.path(path).fill(colour);
  doc.restore();
  writeName(doc, seller.name, MARGIN + 36, 59, { size: 15, bold: true, colour: ink, width: 330 - MARGIN - 48 });
  let y = 56;
  for (const line of seller.address) {
    y = writeName(doc, line, 330, y, { size: 9, colour: muted, width: RIGHT - 330, align: 'right' }) + 1.6;
  }
}

/** Draws name, address, tax ID and contact. @returns the y position below */
function billedTo(doc: PDFKit.PDFDocument, customer: Sendable<Customer>, project: string): number {
  const style = { size: 9.5, colour: ink, width: RIGHT - 330 };
  let y = writeName(doc, customer.name, 330, 191, { ...style, bold: true });
  for (const line of addressOf(customer)) y = writeName(doc, line, 330, y + 2, style);
  const more = [
    ...(customer.tax_id === null ? [] : [`Tax ID ${customer.tax_id}`]),
    ...(customer.email === null ? [] : [customer.email]),
    `Project ${project}`,
  ];
  for (const line of more) y = writeName(doc, line, 330, y + 2, { ...style, colour: muted });
  return y;
}

/** Address lines in postal order: the postal code before the city, or after the region if there is one. */
function addressOf({ address_lines, city, postal_code, region, country }: Sendable<Customer>): string[] {
  const place =
    region === null
      ? [postal_code, city].filter((part) => part !== null).join(' ')
      : [[city, region].filter((part) => part !== null).join(', '), postal_code]
          .filter((part) => part !== null)
          .join(' ');
  return [...address_lines, place, country === null ? '' : countryName(country)].filter((line) => line !== '');
}

function small(doc: PDFKit.PDFDocument, label: string, x: number, y: number): void {
  doc.font('Helvetica').fontSize(9.5).fillColor(muted).text(label, x, y);
}

function right(doc: PDFKit.PDFDocument, content: string, edge: number, y: number): void {
  doc.text(content, edge - 150, y, { width: 150, align: 'right', lineBreak: false });
}

function line(doc: PDFKit.PDFDocument, y: number, from = MARGIN): void {
  doc.moveTo(from, y).lineTo(RIGHT, y).lineWidth(0.6).strokeColor(rule).stroke();
}

function tableHead(doc: PDFKit.PDFDocument, y: number): number {
  small(doc, 'Description', MARGIN, y);
  right(doc, 'Quantity', columns.quantity, y);
  right(doc, 'Unit price', columns.price, y);
  right(doc, 'Amount', columns.amount, y);
  line(doc, y + 16);
  return y + 18;
}

/** Usage of an earlier month, which is stated below the line's name. */
const isLate = ({ kind, used_in }: Line, month: string) => kind === 'usage' && used_in !== month;
const heightOf = (item: Line, month: string) => (isLate(item, month) ? 34 : 22);

function drawLine(doc: PDFKit.PDFDocument, item: Line, month: string, y: number): number {
  const below = y + heightOf(item, month);
  if (isLate(item, month)) small(doc, `Used in ${monthName(item.used_in)}`, MARGIN, y + 18);
  doc.font('Helvetica').fontSize(9.5).fillColor(ink);
  doc.text(item.label, MARGIN, y + 6, { lineBreak: false });
  if (item.kind === 'usage') {
    right(doc, `${exact(item.quantity)} ${item.unit}`, columns.quantity, y + 6);
    right(doc, `$${exact(item.unit_price_usd)}`, columns.price, y + 6);
  }
  right(doc, dollars(item.amount_usd), columns.amount, y + 6);
  line(doc, below - 1);
  return below;
}

function totals(
  doc: PDFKit.PDFDocument,
  { subtotal_usd, credit_usd, due_usd, payment }: Sendable<Invoice>,
  from: number,
): void {
  let y = from + 14;
  if (y + 100 > BOTTOM) {
    doc.addPage();
    doc.page.margins.bottom = 0;
    y = MARGIN;
  }
  const row = (label: string, amount: string, bold = false) => {
    doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(bold ? 11 : 9.5)
      .fillColor(bold ? ink : muted)
      .text(label, 330, y);
    right(doc.fillColor(ink), amount, columns.amount, y);
    y += bold ? 20 : 17;
  };
  row('Total', dollars(subtotal_usd));
  if (new Decimal(text(credit_usd)).gt(0)) row('Paid from prepaid credit', `-${dollars(credit_usd)}`);
  line(doc, y, 330);
  y += 8;
  row('Amount due, USD', dollars(due_usd), true);
  small(doc, settlement(payment, due_usd), 330, y);
}

function settlement({ status }: Sendable<Invoice>['payment'], due: number | JsonNumber): string {
  if (new Decimal(text(due)).isZero()) return 'Paid in full.';
  return status === 'deferred' || status === 'carried'
    ? 'Carried over to the next invoice.'
    : 'Charged to your default card.';
}

function footers(doc: PDFKit.PDFDocument, number: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = start; page < start + count; page++) {
    doc.switchToPage(page);
    doc.page.margins.bottom = 0;
    small(doc, `Invoice ${number}. All months are in UTC.`, MARGIN, 800);
    right(doc, `Page ${page + 1} of ${count}`, RIGHT, 800);
  }
}
