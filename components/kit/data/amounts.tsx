import { formatMoney } from '@/lib/format/money';
import { formatQuantity } from '@/lib/format/quantity';
import { formatBytes, formatGigabytes } from '@/lib/format/size';

const numeric = 'whitespace-nowrap tabular-nums';

/** US dollars; the exact decimals of the wire on hover. */
export function Money({ usd }: { usd: number | string }) {
  return (
    <data value={String(usd)} title={`${usd} USD`} className={numeric}>
      {formatMoney(usd)}
    </data>
  );
}

/** A size, given in the unit of its field: `bytes` for `_bytes`, `gigabytes` for `_gb`. */
export function Size(props: { bytes: number } | { gigabytes: number }) {
  const inBytes = 'bytes' in props;
  const value = inBytes ? props.bytes : props.gigabytes;
  return (
    <data value={String(value)} className={numeric}>
      {inBytes ? formatBytes(value) : formatGigabytes(value)}
    </data>
  );
}

/** A number with its unit. */
export function Quantity({ value, unit }: { value: number; unit: string }) {
  return (
    <data value={String(value)} className={numeric}>
      {formatQuantity(value, unit)}
    </data>
  );
}
