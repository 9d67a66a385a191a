'use client';

import type { LucideIcon } from 'lucide-react';
import { Avatar } from '@/components/kit/ui/avatar';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';

export interface Person {
  name: string;
  email: string;
}

export interface UserMenuProps {
  person: Person;
  /** Pages of the person's own. */
  links: readonly { label: string; href: string; icon: LucideIcon }[];
  onSignOut: () => void;
}

const UserMenuPopup = deferred<UserMenuProps>('menu', () =>
  import('./user-menu-popup').then((module) => module.UserMenuPopup),
);

export function UserMenu(props: UserMenuProps) {
  const { name } = props.person;
  const trigger = (
    <Button variant="quiet" size="icon" aria-label={`${name}: account and appearance`} className="rounded-full">
      <Avatar name={name} className="size-7" />
    </Button>
  );
  return <UserMenuPopup {...props} trigger={trigger} />;
}
