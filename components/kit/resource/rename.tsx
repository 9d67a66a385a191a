'use client';

import { Pencil } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { type OperationId, useRefusal } from '@/lib/client/may';
import type { RenameViewProps } from './rename-view';

/** How a resource gets another name. */
export interface Rename {
  /** From `lib/client/operations`. */
  operation: {
    id: OperationId;
    fields: { name: { minLength?: number; maxLength?: number; pattern?: string } };
  };
  save: (name: string) => Promise<unknown>;
}

const RenameView = lazyComponent<RenameViewProps>(() => import('./rename-view').then((module) => module.RenameView));

/** The parts of a page's title with which its resource is renamed in place; nothing where the API renames none. */
export function useRenaming(
  rename: Rename | undefined,
  name: string,
  noun: string,
): { field?: ReactNode; button?: ReactNode } {
  const [renaming, setRenaming] = useState(false);
  // The button that began it is gone while the field is there: the new one takes the focus back.
  const returning = useRef(false);
  const refusal = useRefusal();
  if (!rename) return {};
  const close = () => {
    returning.current = true;
    setRenaming(false);
  };
  if (renaming) return { field: <RenameView {...rename} name={name} noun={noun} close={close} /> };
  return {
    button: (
      <DisabledReason reason={refusal(rename.operation.id)}>
        <Button
          ref={(button) => {
            if (button && returning.current) button.focus();
            returning.current = false;
          }}
          variant="quiet"
          size="icon-sm"
          aria-label={`Rename ${name}`}
          onClick={() => setRenaming(true)}
        >
          <Pencil />
        </Button>
      </DisabledReason>
    ),
  };
}
