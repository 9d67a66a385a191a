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

/** Whether the `Accept` header prefers CSV to JSON (RFC 9110). */
export function prefersCsv(headers: Headers): boolean {
  const ranges = (headers.get('accept') ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  const weightOf = (...types: string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const csv = weightOf('text/csv', 'text/*');
  return csv > 0 && csv >= weightOf('application/json', 'application/*');
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
