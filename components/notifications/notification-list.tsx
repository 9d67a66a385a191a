'use client';

import { MailOpen } from 'lucide-react';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { useRealm } from '@/components/kit/page/place';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { useProjectIfAny, useProjects } from '@/lib/client/project';
import { NotificationLink } from './notification-link';
import { useMarkRead, useNotificationKind, useUnreadCount } from './use-notifications';
import { kindLabels, type Notification, wordsOf } from './words';

const column = columnsOf<Notification>();
const columns = [
  column.display({
    id: 'notification',
    header: 'Notification',
    cell: ({ row: { original } }) => <NotificationLink notification={original} />,
  }),
  column.accessor(({ kind }) => kindLabels[kind], { id: 'kind', header: 'Kind', meta: { from: 'lg' } }),
  column.accessor(({ created_at }) => created_at, {
    id: 'created_at',
    header: 'Time',
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];
const projectColumn = column.accessor(({ project_id }) => project_id, {
  id: 'project',
  header: 'Project',
  meta: { from: 'lg' },
  cell: ({ getValue }) => <ProjectName id={getValue()} />,
});

const readFilter = {
  name: 'unread',
  label: 'Status',
  options: [
    { value: 'true', label: 'Unread' },
    { value: 'false', label: 'Read' },
  ],
};

/** All notifications of the person: in the portal those of all their projects, in the back office incidents. */
export function NotificationList() {
  const office = useRealm() === 'backoffice';
  const { kind, list, preferences } = useNotificationKind();
  const project = useProjectIfAny()?.slug ?? '';
  const unread = useUnreadCount();
  const { markRead, markAllRead, pending, error } = useMarkRead();
  const kindFilter = {
    name: 'kind',
    label: 'Kind',
    options: Object.entries(kindLabels)
      .filter(([value]) => value !== 'incident')
      .map(([value, label]) => ({ value, label })),
  };
  return (
    <ResourceList
      of={kind}
      list={list}
      about={
        office
          ? 'Incidents on the platform, until you have read them.'
          : 'Events in your projects that need attention. Kept for 120 days.'
      }
      emptyTitle="No notifications yet"
      empty={
        office
          ? 'New incidents are listed here.'
          : 'Budget thresholds, failed operations, expiring certificates and invitations are listed here.'
      }
      buttons={
        <>
          <ButtonLink variant="quiet" href={preferences(project)}>
            Preferences
          </ButtonLink>
          <Button disabled={unread === 0} pending={pending} onClick={() => void markAllRead().catch(shownAbove)}>
            Mark all as read
          </Button>
        </>
      }
      above={error !== null && <ErrorNotice title="The notifications could not be marked" error={error} />}
      columns={office ? columns : [...columns.slice(0, 2), projectColumn, ...columns.slice(2)]}
      filters={office ? [readFilter] : [readFilter, kindFilter]}
      searchable={false}
      rowName={(notification) => wordsOf(notification, '').title}
      actions={({ id, read_at }) => [
        {
          label: 'Mark as read',
          several: (shown) => `Mark ${shown} as read`,
          harmless: true,
          icon: MailOpen,
          disabledReason: read_at === null ? undefined : 'Already read.',
          run: () => markRead(id),
        },
      ]}
    />
  );
}

/** The project of a notification; none that the person has left or not joined yet. */
function ProjectName({ id }: { id: string | null }) {
  const project = useProjects().find((candidate) => candidate.id === id);
  return project?.name ?? <span className="text-ink-subtle">–</span>;
}

/** The failure stands above the table. */
function shownAbove(): void {}
