import { JsonNumber } from './json';

/** One CSV cell. Values that a spreadsheet would run as a formula get a leading apostrophe (OWASP, CSV injection). */
function cell(value: unknown): string {
  const harmless = /^[=+\-@\t\r]/.test(textOf(value)) ? `'${textOf(value)}` : textOf(value);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}

/** One CSV record (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** A CSV response, streamed page by page at the reader's pace, so that memory holds only one page. */
export function csvResponse<Row extends object>(
  pages: AsyncGenerator<readonly Row[]>,
  columns: readonly (keyof Row & string)[],
  filename: string,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(columns))),
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) return controller.close();
      const lines = value.map((row) => csvLine(columns.map((column) => row[column])));
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')));
      else controller.close();
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${filename}"`,
  };
  return new Response(body, { headers });
}
