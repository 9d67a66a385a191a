'use client';

import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { Confirmation } from '@/components/kit/page/confirm';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';

/** One thing that can be done with a row, or with the resource of a page. */
export interface Action {
  label: string;
  /** The label for several things, "Remove 2 users from project"; without it, they follow the label: "Delete 2 volumes". */
  several?: (things: string) => string;
  /** Loses and changes nothing of value: several rows run it without a question. */
  harmless?: boolean;
  icon?: LucideIcon;
  /** Opens something. */
  onSelect?: () => void;
  /** Calls the API at once. One with `run` or `confirmation` can be done with several rows together. */
  run?: () => Promise<unknown>;
  /** Asks, then calls the API. */
  confirmation?: Confirmation;
  href?: string;
  /** Why it can't be done now; shown, never hidden. */
  disabledReason?: string | undefined;
  /** Destroys something: stands apart, in red. */
  danger?: boolean;
}

const ActionMenuPopup = deferred<Pick<ActionMenuProps, 'name' | 'actions'>>('menu', () =>
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
  return <ActionMenuPopup trigger={trigger} name={name} actions={actions} />;
}
