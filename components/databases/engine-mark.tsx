import { clsx } from 'clsx';
import type { DatabaseEngine } from '@/lib/domains/databases/engines';
import { engineLooks } from './engine-look';

interface EngineMarkProps {
  engine: DatabaseEngine;
  size?: 'sm' | 'lg';
}

/** The mark of an engine; its name stands beside it. */
export function EngineMark({ engine, size = 'sm' }: EngineMarkProps) {
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'grid shrink-0 place-items-center rounded-md border bg-sunken font-mono font-semibold text-ink-muted',
        size === 'sm' ? 'size-6 text-2xs' : 'size-10 text-sm',
      )}
    >
      {engineLooks[engine].mark}
    </span>
  );
}

/** An engine with its version: "PostgreSQL 16". */
export function EngineName({ engine, version }: { engine: DatabaseEngine; version?: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <EngineMark engine={engine} />
      {engineLooks[engine].label} {version}
    </span>
  );
}
