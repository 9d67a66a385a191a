'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { Radio } from '@/components/kit/ui/choice';
import { type DatabaseEngine, databaseEngines } from '@/lib/domains/databases/engines';
import { engineLooks } from './engine-look';
import { EngineMark } from './engine-mark';

interface EngineCardsFieldProps {
  value: DatabaseEngine;
  onChange: (engine: DatabaseEngine) => void;
  /** Why an engine cannot be chosen, if so. */
  whyNot: (engine: DatabaseEngine) => string | undefined;
}

/** The choice of an engine: all of them side by side; one that cannot run says what is missing. */
export function EngineCardsField({ value, onChange, whyNot }: EngineCardsFieldProps) {
  const id = useId();
  return (
    <fieldset>
      <legend className="sr-only">Engine</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-3">
        {databaseEngines.map((engine) => {
          const { label, about } = engineLooks[engine];
          const reason = whyNot(engine);
          return (
            <label
              key={engine}
              htmlFor={`${id}-${engine}`}
              className={clsx(
                'flex gap-3 rounded-lg border bg-surface p-4 shadow-control transition-colors duration-100',
                'has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus',
                reason === undefined ? 'cursor-pointer hover:border-line-strong' : 'border-dashed shadow-none',
              )}
            >
              <EngineMark engine={engine} size="lg" />
              <span className="min-w-0 flex-1 text-sm">
                <span className={clsx('font-medium', reason !== undefined && 'text-ink-muted')}>{label}</span>
                <span className="mt-0.5 block text-pretty text-ink-muted text-xs">{about}</span>
                {reason !== undefined && (
                  <span className="mt-1.5 block text-pretty text-caution-ink text-xs">Unavailable. {reason}</span>
                )}
              </span>
              <Radio
                id={`${id}-${engine}`}
                name={id}
                value={engine}
                checked={value === engine}
                autoFocus={value === engine}
                disabled={reason !== undefined}
                onChange={() => onChange(engine)}
                className="mt-0.5 outline-none [&_input]:outline-none"
              />
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
