'use client';

import { useState } from 'react';
import { CronField } from '@/components/kit/cron/cron-field';
import { readCron } from '@/components/kit/cron/cron-schedule';
import { CodeBlock } from '@/components/kit/data/code-block';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Label } from '@/components/kit/ui/label';
import { Select } from '@/components/kit/ui/select';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { bodyOf, type CloudFunction, type ReplaceBody } from './types';

const auths = [
  { value: 'off', label: 'No URL' },
  {
    value: 'api_token',
    label: 'Callers with an API token',
    description: 'Of this project, in the Authorization header',
  },
  { value: 'none', label: 'Everyone', description: 'Anyone on the internet can call it' },
] as const;

/** What calls a function besides the API: its URL, its schedule and gateway routes. */
export function TriggersTab({ of }: { of: CloudFunction }) {
  return (
    <div className="max-w-3xl space-y-5">
      <UrlCard of={of} />
      <ScheduleCard of={of} />
      <RouteCard />
    </div>
  );
}

/** Deploys a change of the configuration. */
function useChange(of: CloudFunction) {
  const { api } = useProject();
  const refusal = useRefusal();
  const replace = api.useMutation('put', '/api/v1/functions/{id}');
  return {
    refused: refusal('replaceFunction'),
    error: replace.error,
    pending: replace.isPending,
    apply: (change: (body: ReplaceBody) => ReplaceBody) =>
      replace.mutate({ params: { path: { id: of.id } }, body: change(bodyOf(of)) }),
  };
}

function UrlCard({ of }: { of: CloudFunction }) {
  const { refused, error, pending, apply } = useChange(of);
  const current = of.url_auth ?? 'off';
  const [chosen, setChosen] = useState<string>(current);
  const save = () =>
    apply(({ url: _, ...body }) =>
      chosen === 'api_token' || chosen === 'none' ? { ...body, url: { auth: chosen } } : body,
    );
  return (
    <Card title="URL" description="An HTTPS address of its own. The event has the shape of an HTTP API of version 2.0.">
      <div className="space-y-4">
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-56 flex-1 space-y-1.5">
            <Label htmlFor="url-auth">Who may call it</Label>
            <Select id="url-auth" options={auths} value={chosen} onValueChange={setChosen} />
          </div>
          <DisabledReason reason={refused ?? (chosen === current ? 'There is nothing to apply.' : undefined)}>
            <Button pending={pending} onClick={save}>
              Apply
            </Button>
          </DisabledReason>
        </div>
        {error && <ErrorNotice title="The URL could not be changed" error={error} />}
        {of.url && (
          <CodeBlock
            label="command"
            code={`curl ${of.url_auth === 'api_token' ? '-H "Authorization: Bearer $NEPHELE_TOKEN" ' : ''}${of.url}`}
          />
        )}
      </div>
    </Card>
  );
}

/** Routes name the function as a backend. */
function RouteCard() {
  const { project } = useProject();
  return (
    <Card
      title="Gateway route"
      description="Publishes the function under a host and a path of your own, beside other backends, with rollouts."
      actions={<ButtonLink href={paths.newRoute(project.slug)}>Create gateway route</ButtonLink>}
    />
  );
}

function ScheduleCard({ of }: { of: CloudFunction }) {
  const { refused, error, pending, apply } = useChange(of);
  const [typed, setTyped] = useState(of.schedule ?? '0 * * * *');
  const isCron = 'words' in readCron(typed);
  const reason = refused ?? (isCron ? undefined : 'Enter a schedule first.');
  const same = of.schedule === typed ? 'There is nothing to apply.' : undefined;
  return (
    <Card
      title="Schedule"
      description={
        of.next_run_at === null ? (
          'Invokes the function at fixed times. Missed times are not made up.'
        ) : (
          <>
            Next run <Time at={of.next_run_at} form="exact" />
          </>
        )
      }
    >
      <div className="space-y-4">
        <CronField label="Times" value={typed} onChange={setTyped} />
        {error && <ErrorNotice title="The schedule could not be changed" error={error} />}
        <div className="flex flex-wrap gap-2">
          <DisabledReason reason={reason ?? same}>
            <Button pending={pending} onClick={() => apply((body) => ({ ...body, schedule: typed.trim() }))}>
              {of.schedule === null ? 'Start schedule' : 'Change schedule'}
            </Button>
          </DisabledReason>
          {of.schedule !== null && (
            <DisabledReason reason={refused}>
              <Button variant="quiet" onClick={() => apply(({ schedule: _, ...body }) => body)}>
                Remove schedule
              </Button>
            </DisabledReason>
          )}
        </div>
      </div>
    </Card>
  );
}
