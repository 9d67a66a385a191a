'use client';

import Link from 'next/link';
import type { ReactElement } from 'react';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '@/components/kit/ui/menu';
import type { Action } from './row-actions';
import { useAct } from './use-act';

interface ActionMenuPopupProps {
  trigger: ReactElement;
  name: string;
  actions: readonly Action[];
}

/** The opened menu of actions; what destroys something stands apart, at the end. */
export function ActionMenuPopup({ trigger, name, actions }: ActionMenuPopupProps) {
  const act = useAct();
  const safe = actions.filter((action) => !action.danger);
  const dangerous = actions.filter((action) => action.danger);
  const item = (action: Action) => <Item key={action.label} action={action} onSelect={() => act(action, name)} />;
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

function Item({ action, onSelect }: { action: Action; onSelect: () => void }) {
  const { label, icon: Icon, href, disabledReason, danger = false } = action;
  const content = (
    <>
      {Icon && <Icon aria-hidden="true" />}
      {label}
    </>
  );
  const linked = href !== undefined && !disabledReason;
  return (
    <MenuItem danger={danger} disabledReason={disabledReason} onSelect={onSelect} asChild={linked}>
      {linked ? <Link href={href}>{content}</Link> : content}
    </MenuItem>
  );
}
