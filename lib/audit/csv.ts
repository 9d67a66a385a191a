import type { AuditEntry, PlatformAuditEntry } from './schema';

/** A cell that a spreadsheet would run as a formula begins with an apostrophe instead (OWASP, CSV injection). */
function cell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One record of CSV (RFC 4180). */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** The entries as CSV, sent page by page as the reader takes them: memory holds one page, whatever the range. */
export function csvResponse<Entry extends AuditEntry | PlatformAuditEntry>(
  pages: AsyncGenerator<readonly Entry[]>,
  columns: readonly (keyof Entry & string)[],
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(columns))),
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) return controller.close();
      const lines = value.map((entry) => csvLine(columns.map((column) => entry[column])));
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')));
      else controller.close();
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="audit.csv"',
  };
  return new Response(body, { headers });
}
