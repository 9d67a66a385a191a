'use client';

import { KeyRound, Mail, Send, Webhook } from 'lucide-react';
import { useState } from 'react';
import { budgetAlerts } from '@/components/billing/domain';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useBudget } from '@/lib/client/freeze';
import type { Row } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { listAlertDeliveries } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { paths } from '@/lib/paths';

const SigningSecretDialog = lazyComponent(() =>
  import('@/components/billing/signing-secret-dialog').then((module) => module.SigningSecretDialog),
);

type Delivery = Row<'/api/v1/billing/alerts'>;

const column = columnsOf<Delivery>();
const columns = [
  column.accessor('alert', { header: 'Alert', cell: ({ getValue }) => <Alert alert={getValue()} /> }),
  column.accessor('target', {
    header: 'Recipient',
    cell: ({ row: { original } }) => <Target {...original} />,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.error} />,
  }),
  column.accessor('attempts', {
    header: 'Attempts',
    meta: { align: 'right', from: 'lg' },
    cell: ({ row: { original } }) => <Tries {...original} />,
  }),
  column.accessor('created_at', {
    header: 'Sent',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function Alert({ alert }: Pick<Delivery, 'alert'>) {
  if (!alert) return <span className="text-ink-muted">Test</span>;
  return (
    <span>
      <span className="font-medium">
        {alert.threshold_percent}% of {formatMoney(alert.limit_usd)}
      </span>
      {alert.frozen && <span className="text-caution-ink"> and freeze</span>}
      <span className="block text-ink-muted text-xs">
        crossed <Time at={alert.crossed_at} form="moment" />
      </span>
    </span>
  );
}

function Target({ channel, target }: Pick<Delivery, 'channel' | 'target'>) {
  const Icon = channel === 'email' ? Mail : Webhook;
  return (
    <span className="flex max-w-72 items-center gap-2 xl:max-w-md">
      <Icon className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
      <span className="sr-only">{channel === 'email' ? 'E-mail' : 'Webhook'}</span>
      <span className="truncate" title={target}>
        {target}
      </span>
    </span>
  );
}

function Tries({ attempts, next_attempt_at }: Pick<Delivery, 'attempts' | 'next_attempt_at'>) {
  return (
    <>
      {attempts}
      {attempts > 0 && next_attempt_at && (
        <span className="block text-ink-muted text-xs">
          Next <Time at={next_attempt_at} />
        </span>
      )}
    </>
  );
}

/** What was sent when the budget was used up step by step, to whom, and what became of it. */
export default function AlertsPage() {
  const { project, api } = useProject();
  const budget = useBudget();
  const test = api.useMutation('post', '/api/v1/billing/alerts/test');
  const [secretShown, setSecretShown] = useState(false);
  const refusal = useRefusal();
  const nobody =
    budget.data && budget.data.notify_emails.length === 0 && budget.data.webhook_url === null
      ? 'The budget has no recipients. Add an e-mail address or a webhook to it first.'
      : undefined;
  return (
    <ResourceList
      of={budgetAlerts}
      list={listAlertDeliveries}
      about="Each threshold of the budget alerts once for each month and limit. Failed deliveries are retried eight times within a day."
      emptyTitle="No alerts yet"
      empty="When spending passes a threshold of the budget, its e-mail recipients and webhook are notified. Each delivery is listed here."
      above={
        test.error !== null && (
          <div className="mb-5">
            <ErrorNotice title="The test alert could not be sent" error={test.error} />
          </div>
        )
      }
      buttons={
        <>
          <DisabledReason reason={refusal('readAlertSigningSecret')}>
            <Button onClick={() => setSecretShown(true)}>
              <KeyRound /> Signing secret
            </Button>
          </DisabledReason>
          <DisabledReason reason={refusal('testAlerts') ?? nobody}>
            <Button variant="primary" pending={test.isPending} onClick={() => test.mutate({ body: {} })}>
              <Send /> Send test alert
            </Button>
          </DisabledReason>
        </>
      }
      create={<ButtonLink href={paths.budget(project.slug)}>Open the budget</ButtonLink>}
      columns={columns}
      filters={[
        'status',
        {
          name: 'channel',
          label: 'Channel',
          options: [
            { value: 'email', label: 'E-mail' },
            { value: 'webhook', label: 'Webhook' },
          ],
        },
      ]}
      searchable={false}
      rowName={({ target }) => target}
    >
      {() => secretShown && <SigningSecretDialog close={() => setSecretShown(false)} />}
    </ResourceList>
  );
}
