'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { Time } from '@/components/kit/data/time';
import { useMarkRead, useNotificationWords } from './use-notifications';
import type { Notification } from './words';

interface NotificationLinkProps {
  notification: Notification;
  onFollow?: () => void;
  /** With its project and time, where no columns show them. */
  dated?: boolean;
}

/** A notification that leads to its resource; following it marks it as read. */
export function NotificationLink({ notification, onFollow, dated = false }: NotificationLinkProps) {
  const { title, detail, href, project } = useNotificationWords()(notification);
  const { markRead } = useMarkRead();
  const unread = notification.read_at === null;
  const follow = () => {
    if (unread) void markRead(notification.id).catch(staysUnread);
    onFollow?.();
  };
  return (
    <div className="flex max-w-2xl gap-2.5 whitespace-normal text-sm">
      <span
        aria-hidden="true"
        className={clsx('mt-1.5 size-2 shrink-0 rounded-full', unread ? 'bg-accent' : 'bg-transparent')}
      />
      <div className="min-w-0 flex-1">
        <Link
          href={href}
          onClick={follow}
          className={clsx('block w-fit break-words rounded-sm hover:underline', unread && 'font-medium')}
        >
          {unread && <span className="sr-only">Unread: </span>}
          {title}
        </Link>
        <p className="break-words text-ink-muted text-xs">{detail}</p>
        {dated && (
          <p className="mt-0.5 text-ink-subtle text-xs">
            {project && `${project} · `}
            <Time at={notification.created_at} />
          </p>
        )}
      </div>
    </div>
  );
}

/** The count still shows it; the page that opens matters more. */
function staysUnread(): void {}
