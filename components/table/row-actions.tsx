'use client';

import { Ellipsis, type LucideIcon } from 'lucide-react';
import Link from 'next/link';
import { Button } from '@/components/ui/button';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '@/components/ui/menu';

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

/** The menu of what can be done with one thing. */
export function ActionMenu({
  name,
  actions,
  labelled = false,
}: {
  name: string;
  actions: readonly Action[];
  labelled?: boolean;
}) {
  const safe = actions.filter((action) => !action.danger);
  const dangerous = actions.filter((action) => action.danger);
  return (
    <Menu>
      <MenuTrigger asChild>
        {labelled ? (
          <Button>Actions</Button>
        ) : (
          <Button variant="quiet" size="icon-sm" aria-label={`Actions for ${name}`}>
            <Ellipsis />
          </Button>
        )}
      </MenuTrigger>
      <MenuContent>
        {safe.map(item)}
        {safe.length > 0 && dangerous.length > 0 && <MenuSeparator />}
        {dangerous.map(item)}
      </MenuContent>
    </Menu>
  );
}

function item({ label, icon: Icon, onSelect, href, disabledReason, danger = false }: Action) {
  const content = (
    <>
      {Icon && <Icon aria-hidden="true" />}
      {label}
    </>
  );
  return (
    <MenuItem
      key={label}
      danger={danger}
      disabledReason={disabledReason}
      onSelect={onSelect}
      asChild={href !== undefined && !disabledReason}
    >
      {href !== undefined && !disabledReason ? <Link href={href}>{content}</Link> : content}
    </MenuItem>
  );
}
