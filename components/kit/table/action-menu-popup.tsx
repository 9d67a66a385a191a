'use client';

import Link from 'next/link';
import type { ReactElement } from 'react';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '@/components/kit/ui/menu';
import type { Action } from './row-actions';

/** The opened menu of actions; what destroys something stands apart, at the end. */
export function ActionMenuPopup({ trigger, actions }: { trigger: ReactElement; actions: readonly Action[] }) {
  const safe = actions.filter((action) => !action.danger);
  const dangerous = actions.filter((action) => action.danger);
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>{trigger}</MenuTrigger>
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
  const linked = href !== undefined && !disabledReason;
  return (
    <MenuItem key={label} danger={danger} disabledReason={disabledReason} onSelect={onSelect} asChild={linked}>
      {linked ? <Link href={href}>{content}</Link> : content}
    </MenuItem>
  );
}
