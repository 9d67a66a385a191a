'use client';

import { Settings2 } from 'lucide-react';
import Link from 'next/link';
import { type ReactElement, useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/kit/ui/popover';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProjectIfAny } from '@/lib/client/project';
import { NotificationLink } from './notification-link';
import { useLatestNotifications, useMarkRead, useNotificationKind, useUnreadCount } from './use-notifications';

/** As many as fit a laptop's screen without scrolling. */
const LATEST = 6;

/** The opened bell: the newest notifications, and the way to all of them. */
export function BellPopup({ trigger }: { trigger: ReactElement }) {
  const [open, setOpen] = useState(true);
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>{trigger}</PopoverTrigger>
      <PopoverContent
        align="end"
        collisionPadding={8}
        aria-label="Notifications"
        className="flex max-h-(--radix-popover-content-available-height) w-[min(24rem,calc(100vw-1rem))] flex-col p-0"
      >
        <Latest close={() => setOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

function Latest({ close }: { close: () => void }) {
  const project = useProjectIfAny()?.slug ?? '';
  const { kind, preferences } = useNotificationKind();
  const latest = useLatestNotifications(LATEST);
  const unread = useUnreadCount();
  const { markAllRead, pending, error } = useMarkRead();
  return (
    <>
      <header className="flex h-11 shrink-0 items-center justify-between border-b px-4">
        <h2 className="font-semibold text-sm">Notifications</h2>
        <Button
          variant="quiet"
          size="sm"
          className="-mr-2"
          disabled={unread === 0}
          pending={pending}
          onClick={() => void markAllRead().catch(shownBelow)}
        >
          Mark all as read
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error !== null && <ErrorNotice title="The notifications could not be marked" error={error} />}
        <Loaded query={latest} what="The notifications" skeleton={<Skeleton className="m-4 h-16" />}>
          {({ rows }) =>
            rows.length === 0 ? (
              <p className="px-4 py-8 text-center text-ink-muted text-sm">No notifications yet.</p>
            ) : (
              <ul className="divide-y">
                {rows.map((notification) => (
                  <li key={notification.id} className="px-4 py-2.5 hover:bg-hover">
                    <NotificationLink notification={notification} onFollow={close} dated />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      <footer className="flex shrink-0 items-center gap-1 border-t p-1">
        <Link
          href={kind.href(project)}
          onClick={close}
          className="floating-item flex-1 justify-center hover:bg-hover focus-visible:bg-hover"
        >
          View all notifications
        </Link>
        <ButtonLink
          variant="quiet"
          size="icon-sm"
          href={preferences(project)}
          onClick={close}
          aria-label="Notification preferences"
        >
          <Settings2 />
        </ButtonLink>
      </footer>
    </>
  );
}

/** The failure stands above the list. */
function shownBelow(): void {}
