'use client';

import { ChevronDown } from 'lucide-react';
import type { TableState } from '@/components/kit/table/table-state';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';

export interface TextFilterProps {
  state: TableState;
  /** The query parameter. */
  name: string;
  label: string;
  /** What is to be written, with an example. */
  hint: string;
}

const TextFilterPopup = deferred<TextFilterProps>('dialog', () =>
  import('./text-filter-popup').then((module) => module.TextFilterPopup),
);

/** A filter whose values are too many to be listed: one writes it, or comes with it from another page. */
export function TextFilter(props: TextFilterProps) {
  const { state, name, label } = props;
  const value = state.filter(name);
  const trigger = (
    <Button className={value ? 'border-accent bg-accent-soft' : undefined}>
      <span className={value ? 'text-ink-muted' : undefined}>{label}</span>
      {value && (
        <span className="max-w-32 truncate font-mono text-xs" title={value}>
          {value}
        </span>
      )}
      <ChevronDown className="text-ink-subtle" />
    </Button>
  );
  return <TextFilterPopup {...props} trigger={trigger} />;
}
