import { CopyButton } from './copy-button';

/** An id: monospaced, shortened from the middle unless `full` (UUIDv7 begin alike, so their ends tell them apart). */
export function Id({ value, label = 'id', full = false }: { value: string; label?: string; full?: boolean }) {
  const short = full || value.length <= 16 ? value : `${value.slice(0, 4)}…${value.slice(-8)}`;
  return (
    <span className="-my-1 inline-flex items-center gap-0.5 font-mono text-xs">
      <span title={value} className={full ? 'break-all' : 'whitespace-nowrap'}>
        {short}
      </span>
      <CopyButton value={value} label={label} />
    </span>
  );
}
