'use client';

import { KeyRound, Send } from 'lucide-react';
import { useState } from 'react';
import { alertColumns } from '@/components/billing/alert-columns';
import { budgetAlerts } from '@/components/billing/domain';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useBudget } from '@/lib/client/freeze';
import { useRefusal } from '@/lib/client/may';
import { listAlertDeliveries } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const SigningSecretDialog = lazyComponent(() =>
  import('@/components/billing/signing-secret-dialog').then((module) => module.SigningSecretDialog),
);

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
      columns={alertColumns}
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
