'use client';

import { Ellipsis, type LucideIcon } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';

/** One thing that can be done with a row, or with the resource of a page. */
export interface Action {
  label: string;
  icon?: LucideIcon;
  onSelect?: () => void;
  href?: string;
  /** Why it can't be done now; shown, never hidden. */
  disabledReason?: string | undefined;
  /** Destroys something: stands apart, in red. */
  danger?: boolean;
}

const ActionMenuPopup = deferred<{ actions: readonly Action[] }>('menu', () =>
  import('./action-menu-popup').then((module) => module.ActionMenuPopup),
);

interface ActionMenuProps {
  /** What the actions are for. */
  name: string;
  actions: readonly Action[];
  /** On a page of its own: a button with a word on it. */
  labelled?: boolean;
}

/** The menu of what can be done with one thing. */
export function ActionMenu({ name, actions, labelled = false }: ActionMenuProps) {
  const trigger = labelled ? (
    <Button>Actions</Button>
  ) : (
    <Button variant="quiet" size="icon-sm" aria-label={`Actions for ${name}`}>
      <Ellipsis />
    </Button>
  );
  return <ActionMenuPopup trigger={trigger} actions={actions} />;
}
