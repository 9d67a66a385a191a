'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { Combobox } from '@/components/kit/ui/combobox';
import { Label } from '@/components/kit/ui/label';
import type { Option } from '@/components/kit/ui/option';
import { Select } from '@/components/kit/ui/select';
import { type CatalogueEntry, useCatalogue } from '@/components/policy/catalogue';
import { requestOf, useQuestion, useSettled } from '@/components/policy/question';
import { Verdict } from '@/components/policy/verdict';
import { useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Asks the function that authorizes API requests whether a caller may use an endpoint. */
export default function PolicyPage() {
  const may = useMay('listProjectTokens');
  const { question, ask } = useQuestion();
  const ids = { identity: useId(), request: useId() };
  const catalogue = useCatalogue();
  const entry = catalogue.data?.find(({ method, path }) => method === question.method && path === question.path);
  return (
    <Page
      title="Policy simulator"
      description="Check whether a user or token may call an endpoint, and why. Uses the same rules as real requests."
      narrow
    >
      <div className="space-y-6">
        <Card title="Simulate a request">
          <div className="space-y-5">
            <div className="space-y-1.5">
              <Label htmlFor={ids.identity}>User or token</Label>
              <Identities id={ids.identity} value={question.identity} onChange={(identity) => ask({ identity })} />
              {!may.allowed && <p className="text-ink-muted text-xs">Simulating for others requires the admin role.</p>}
            </div>
            <div className="space-y-1.5">
              <Label htmlFor={ids.request}>Request</Label>
              <Combobox
                id={ids.request}
                nouns="endpoints"
                options={(catalogue.data ?? []).map(endpointOption)}
                typed={typedRequest}
                value={question.path === '' ? undefined : `${question.method} ${question.path}`}
                onValueChange={(request) => ask(requestOf(request) ?? {})}
                placeholder="Choose an endpoint, or enter a path"
                mono
              />
              <p className="min-h-4 text-ink-muted text-xs">{entry?.summary}</p>
            </div>
          </div>
        </Card>
        <Answer />
      </div>
    </Page>
  );
}

/** Endpoints stand by their service: the word after the version. */
function endpointOption({ method, path, summary }: CatalogueEntry): Option {
  const request = `${method} ${path}`;
  return { value: request, label: request, description: summary, group: path.split('/')[3] };
}

/** An address with the id of one thing in it is asked about as well as an endpoint. */
function typedRequest(text: string): Option | undefined {
  const request = requestOf(text);
  if (!request) return undefined;
  const label = `${request.method} ${request.path}`;
  return { value: label, label, description: 'As entered' };
}

/** Oneself; for admins, everyone in the project and every token of it. */
function Identities({ id, value, onChange }: { id: string; value: string; onChange: (identity: string) => void }) {
  if (useMay('listProjectTokens').allowed) return <AllIdentities id={id} value={value} onChange={onChange} />;
  return <Select id={id} options={[{ value: 'me', label: 'Me' }]} value={value} onValueChange={onChange} />;
}

function AllIdentities({ id, value, onChange }: { id: string; value: string; onChange: (identity: string) => void }) {
  const [search, setSearch] = useState('');
  const users = useList('/api/v1/identity/users', { limit: 100, search });
  const tokens = useList('/api/v1/identity/tokens', { limit: 100, search });
  const options = [
    { value: 'me', label: 'Me' },
    ...(users.data?.rows ?? []).map((user) => ({
      value: `user:${user.id}`,
      label: user.name,
      description: `${user.email} · ${user.roles.join(', ')}`,
      group: 'Users',
    })),
    ...(tokens.data?.rows ?? []).map((token) => ({
      value: `token:${token.id}`,
      label: token.name,
      description: `API token · ${token.role}`,
      group: 'API tokens',
    })),
  ];
  return (
    <Combobox
      id={id}
      nouns="users and tokens"
      options={options}
      value={value}
      onValueChange={onChange}
      onSearch={setSearch}
    />
  );
}

function Answer() {
  const { api, client } = useProject();
  const { question } = useQuestion();
  const me = api.useQuery('get', '/api/v1/auth/me');
  const { identity, method, path } = useSettled(question);
  const [kind, id = ''] = identity === 'me' ? ['user', me.data?.id] : identity.split(':');
  const known = methods.find((candidate) => candidate === method);
  const answer = useQuery({
    queryKey: ['post', '/api/v1/iam/simulate', kind, id, method, path],
    enabled: id !== '' && known !== undefined && path.startsWith('/'),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const body = {
        identity: kind === 'token' ? { token_id: id } : { user_id: id },
        method: known ?? 'GET',
        path,
      };
      const { data } = await client.POST('/api/v1/iam/simulate', { body, signal });
      if (!data) throw new Error('no answer');
      return data;
    },
  });
  if (answer.error) return <ErrorNotice title="The simulation failed" error={answer.error} />;
  if (!answer.data || !path.startsWith('/')) {
    return <p className="text-ink-muted text-sm">Choose a request to see the result.</p>;
  }
  return <Verdict {...answer.data} />;
}
