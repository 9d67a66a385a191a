import { Money } from '@/components/kit/data/amounts';
import { formatMoney, formatRate } from '@/lib/format/money';
import { byCategory, type Invoice, type InvoiceLine, monthName } from './invoices';

const quantities = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

/** The lines of an invoice by service, and their sum: what was used, at which price. */
export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const { number, month, lines, subtotal_usd, credit_usd, due_usd, payment } = invoice;
  return (
    <div className="overflow-x-auto rounded-lg border bg-surface">
      <table className="w-full border-separate border-spacing-0 text-sm tabular-nums">
        <caption className="sr-only">Lines of {number}</caption>
        <thead>
          <tr className="[&>th]:h-9 [&>th]:border-b [&>th]:bg-sunken [&>th]:px-4 [&>th]:font-medium [&>th]:text-ink-muted [&>th]:text-xs">
            <th scope="col" className="rounded-tl-lg text-left">
              Description
            </th>
            <th scope="col" className="text-right max-sm:hidden">
              Quantity
            </th>
            <th scope="col" className="text-right max-md:hidden">
              Unit price
            </th>
            <th scope="col" className="rounded-tr-lg text-right">
              Amount
            </th>
          </tr>
        </thead>
        {byCategory(lines).map(({ title, lines: own }) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={4} className="px-4 pt-4 pb-1 text-left font-semibold">
                {title}
              </th>
            </tr>
            {own.map((line) => (
              <Line key={line.position} line={line} month={month} />
            ))}
          </tbody>
        ))}
        <tfoot>
          <Sum name="Total" usd={subtotal_usd} />
          {credit_usd > 0 && <Sum name="Paid from prepaid credit" usd={-credit_usd} />}
          <Sum name={payment.status === 'paid' ? 'Charged by card' : 'Due'} usd={due_usd} strong />
        </tfoot>
      </table>
    </div>
  );
}

function Line({ line, month }: { line: InvoiceLine; month: string }) {
  const { kind, label, quantity, unit, unit_price_usd, amount_usd, used_in } = line;
  const usage = kind === 'usage';
  const amount = `${quantities.format(quantity)} ${unit}${quantity === 1 || unit === 'GB' ? '' : plural(unit)}`;
  return (
    <tr className="[&>td]:border-b [&>td]:px-4 [&>td]:py-2.5">
      <td>
        {label}
        {usage && used_in !== month && (
          <span className="block text-ink-muted text-xs">used in {monthName(used_in)}</span>
        )}
        {usage && <span className="block text-ink-muted text-xs sm:hidden">{amount}</span>}
      </td>
      <td className="text-right text-ink-muted max-sm:hidden">{usage && amount}</td>
      <td className="text-right text-ink-muted max-md:hidden">{usage && formatRate(unit_price_usd, unit)}</td>
      <td className="text-right">
        <Money usd={amount_usd} />
      </td>
    </tr>
  );
}

/** `vCPU-hour`, `slice-hour` and their like take an s; `1M tokens` and `100K calls` have it. */
function plural(unit: string): string {
  return unit.endsWith('s') ? '' : 's';
}

function Sum({ name, usd, strong = false }: { name: string; usd: number; strong?: boolean }) {
  return (
    <tr className={strong ? 'font-semibold text-base' : 'text-ink-muted'}>
      <th scope="row" className={strong ? 'border-t px-4 pt-2.5 pb-4 text-left' : 'px-4 py-2.5 text-left font-normal'}>
        {name}
      </th>
      <td colSpan={3} className={strong ? 'border-t px-4 pt-2.5 pb-4 text-right' : 'px-4 py-2.5 text-right'}>
        {formatMoney(usd)}
      </td>
    </tr>
  );
}
