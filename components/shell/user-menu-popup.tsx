'use client';

import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import Link from 'next/link';
import type { ReactElement } from 'react';
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuRadioGroup,
  MenuRadioItem,
  MenuSeparator,
  MenuTrigger,
} from '@/components/kit/ui/menu';
import { setTheme, useTheme } from './theme';
import { parseTheme } from './theme-cookie';
import type { UserMenuProps } from './user-menu';

/** The opened menu of the person: their own pages, how things look, the way out. */
export function UserMenuPopup({ trigger, person, links, onSignOut }: UserMenuProps & { trigger: ReactElement }) {
  const theme = useTheme();
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>{trigger}</MenuTrigger>
      <MenuContent className="w-60">
        <div className="px-2 py-1.5">
          <p className="truncate font-medium text-sm">{person.name}</p>
          <p className="truncate text-ink-muted text-xs">{person.email}</p>
        </div>
        <MenuSeparator />
        {links.map(({ label, href, icon: Icon }) => (
          <MenuItem key={href} asChild>
            <Link href={href}>
              <Icon aria-hidden="true" /> {label}
            </Link>
          </MenuItem>
        ))}
        {links.length > 0 && <MenuSeparator />}
        <MenuLabel>Appearance</MenuLabel>
        <MenuRadioGroup value={theme} onValueChange={(value) => setTheme(parseTheme(value))}>
          <MenuRadioItem value="light" onSelect={stayOpen}>
            <Sun aria-hidden="true" /> Light
          </MenuRadioItem>
          <MenuRadioItem value="dark" onSelect={stayOpen}>
            <Moon aria-hidden="true" /> Dark
          </MenuRadioItem>
          <MenuRadioItem value="system" onSelect={stayOpen}>
            <Monitor aria-hidden="true" /> System
          </MenuRadioItem>
        </MenuRadioGroup>
        <MenuSeparator />
        <MenuItem onSelect={onSignOut}>
          <LogOut aria-hidden="true" /> Sign out
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

/** A look is tried, not only chosen. */
function stayOpen(event: Event) {
  event.preventDefault();
}
