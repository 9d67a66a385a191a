'use client';

import type { ReactElement } from 'react';
import { Menu, MenuContent, MenuRadioGroup, MenuRadioItem, MenuTrigger } from '@/components/kit/ui/menu';
import type { TableState } from './table-state';
import type { TableFilter } from './table-toolbar';

export interface FilterPopupProps {
  filter: TableFilter;
  state: TableState;
}

const EVERY = '';

/** The opened menu of one filter's values. */
export function FilterPopup({ trigger, filter, state }: FilterPopupProps & { trigger: ReactElement }) {
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>{trigger}</MenuTrigger>
      <MenuContent align="start" className="max-h-80 overflow-y-auto">
        <MenuRadioGroup
          value={state.filter(filter.name) ?? EVERY}
          onValueChange={(next) => state.set({ [filter.name]: next })}
        >
          <MenuRadioItem value={EVERY}>All</MenuRadioItem>
          {filter.options.map((option) => (
            <MenuRadioItem key={option.value} value={option.value}>
              {option.label}
            </MenuRadioItem>
          ))}
        </MenuRadioGroup>
      </MenuContent>
    </Menu>
  );
}
