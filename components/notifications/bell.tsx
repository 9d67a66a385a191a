'use client';

import { Bell as BellIcon } from 'lucide-react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import { formatCount } from '@/lib/format/quantity';
import { useUnreadCount } from './use-notifications';

const BellPopup = deferred<object>('dialog', () => import('./bell-popup').then((module) => module.BellPopup));

/** More than two digits do not fit. */
const MOST_SHOWN = 99;

/** The number of unread notifications, and on a press the newest of them. */
export function Bell() {
  const unread = useUnreadCount() ?? 0;
  const name = unread === 0 ? 'Notifications' : `Notifications, ${formatCount(unread, 'unread', 'unread')}`;
  return (
    <BellPopup
      trigger={
        <Button variant="quiet" size="icon" aria-label={name} className="relative">
          <BellIcon />
          {unread > 0 && (
            <span
              aria-hidden="true"
              className="absolute top-0 right-0 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 font-semibold text-2xs text-accent-ink tabular-nums"
            >
              {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
            </span>
          )}
        </Button>
      }
    />
  );
}
