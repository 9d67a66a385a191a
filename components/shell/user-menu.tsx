'use client';

import type { LucideIcon } from 'lucide-react';
import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import Link from 'next/link';
import { Avatar } from '@/components/ui/avatar';
import { Button } from '@/components/ui/button';
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuRadioGroup,
  MenuRadioItem,
  MenuSeparator,
  MenuTrigger,
} from '@/components/ui/menu';
import { setTheme, useTheme } from './theme';
import { parseTheme } from './theme-cookie';

export interface Person {
  name: string;
  email: string;
}

interface UserMenuProps {
  person: Person;
  /** Pages of the person's own. */
  links: readonly { label: string; href: string; icon: LucideIcon }[];
  onSignOut: () => void;
}

export function UserMenu({ person, links, onSignOut }: UserMenuProps) {
  const theme = useTheme();
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button
          variant="quiet"
          size="icon"
          aria-label={`${person.name}: account and appearance`}
          className="rounded-full"
        >
          <Avatar name={person.name} className="size-7" />
        </Button>
      </MenuTrigger>
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
            <Monitor aria-hidden="true" /> As the system
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
