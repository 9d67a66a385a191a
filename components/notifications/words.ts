import { hrefOf, nounOf } from '@/components/shell/places';
import type { Row } from '@/lib/client/list';
import { formatMoney } from '@/lib/format/money';
import { formatDate, formatMonth } from '@/lib/format/time';
import { adminPaths, paths } from '@/lib/paths';

export type Notification = Row<'/api/v1/notifications'> | Row<'/admin/api/v1/notifications'>;

/** The text of a notification and the page it links to. */
export interface NotificationWords {
  title: string;
  detail: string;
  href: string;
}

/** Kinds in words, for the filter and the list. */
export const kindLabels: Readonly<Record<Notification['kind'], string>> = {
  budget_threshold: 'Budget threshold',
  operation_failed: 'Failed operation',
  certificate_ending: 'Expiring certificate',
  log_lines_dropped: 'Dropped log lines',
  invitation: 'Invitation',
  incident: 'Incident',
};

/** When each kind is created. */
export const kindPurposes: typeof kindLabels = {
  budget_threshold: 'A project reaches an alert threshold of its budget, or uses it up.',
  operation_failed: 'An operation on a resource fails, in projects where you are a member or an admin.',
  certificate_ending: 'A certificate expires within 14 days, or one stored as a secret within 30 days.',
  log_lines_dropped: 'A project loses log lines, at most once a day, in projects where you are a member or an admin.',
  invitation: 'You are invited to a project.',
  incident: 'The platform opens an incident. All open incidents stay on their page.',
};

/**
 * @param project the slug of the notification's project; without one, of the project that the page shows. An invitation
 *   is answered there.
 */
export function wordsOf(notification: Notification, project: string): NotificationWords {
  const { resource } = notification;
  const href = hrefOf(project, resource) ?? paths.overview(project);
  switch (notification.kind) {
    case 'budget_threshold': {
      const { frozen, threshold_percent, limit_usd, month } = notification.facts;
      return {
        title: frozen ? 'Budget used up' : `Budget threshold reached: ${threshold_percent}%`,
        detail: `${formatMoney(limit_usd)} for ${formatMonth(month, 'long')}.${
          frozen ? ' Nothing can be created or enlarged.' : ''
        }`,
        href,
      };
    }
    case 'operation_failed': {
      const { operation, reason } = notification.facts;
      const verb = operation.slice(operation.indexOf('.') + 1).replaceAll('_', ' ');
      return {
        title: `Could not ${verb} ${nounOf(resource.type)} ${resource.name ?? ''}`.trimEnd(),
        detail: reason ?? 'No reason was given.',
        href,
      };
    }
    case 'certificate_ending':
      return {
        title: `Certificate ${resource.name ?? ''} expires soon`,
        detail: `Expires on ${formatDate(notification.facts.expires_at)}. Replace it before then.`,
        href,
      };
    case 'log_lines_dropped': {
      const { day } = notification.facts;
      return {
        title: 'Log lines were dropped',
        detail: `On ${formatDate(day, 'UTC')}. The log says how many, of which resources, and why.`,
        href: paths.logs(project, { query: '{level="warn", stream="platform"}', day }),
      };
    }
    case 'invitation': {
      const { invited_by } = notification.facts;
      return {
        title: `Invitation to ${resource.name ?? 'a project'}`,
        detail: `${invited_by === null ? '' : `From ${invited_by}. `}Join or decline it on the overview.`,
        href: paths.overview(project),
      };
    }
    case 'incident':
      return {
        title: `Incident: ${nounOf(resource.type)}`,
        detail: notification.facts.reason,
        href: adminPaths.incidents({ resource_id: resource.id }),
      };
  }
}
