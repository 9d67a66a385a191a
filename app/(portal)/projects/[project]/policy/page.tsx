'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ErrorNotice } from '@/components/page/error-notice';
import { Page } from '@/components/page/page';
import { useCatalogue } from '@/components/policy/catalogue';
import { useQuestion, useSettled } from '@/components/policy/question';
import { Verdict } from '@/components/policy/verdict';
import { Card } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { Select } from '@/components/ui/select';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Asks the very function that guards the API whether somebody may call an endpoint, before they try. */
export default function PolicyPage() {
  const { project } = useProject();
  const { question, ask } = useQuestion();
  const ids = { identity: useId(), method: useId(), path: useId(), paths: useId() };
  const catalogue = useCatalogue();
  const entry = catalogue.data?.find(({ method, path }) => method === question.method && path === question.path);
  return (
    <Page
      title="Policy simulator"
      description="Whether somebody may call an endpoint, and why. The answer comes from the function that decides on real requests, so the two always agree."
      narrow
    >
      <div className="space-y-6">
        <Card title="The question">
          <div className="grid gap-5 sm:grid-cols-[9rem_minmax(0,1fr)]">
            <div className="space-y-1.5 sm:col-span-2">
              <Label htmlFor={ids.identity}>Who</Label>
              <Identities id={ids.identity} value={question.identity} onChange={(identity) => ask({ identity })} />
              {project.role !== 'admin' && (
                <p className="text-ink-muted text-xs">Asking about others needs the role admin.</p>
              )}
            </div>
            <div className="space-y-1.5">
              <Label htmlFor={ids.method}>Method</Label>
              <Select
                id={ids.method}
                options={methods.map((method) => ({ value: method, label: method }))}
                value={question.method}
                onValueChange={(method) => ask({ method })}
              />
            </div>
            <div className="space-y-1.5">
              <Label htmlFor={ids.path}>Path</Label>
              <Input
                id={ids.path}
                list={ids.paths}
                value={question.path}
                onChange={({ target }) => ask({ path: target.value })}
                placeholder="/api/v1/vault/secrets"
                spellCheck={false}
                autoComplete="off"
                className="font-mono"
              />
              <datalist id={ids.paths}>
                {catalogue.data
                  ?.filter(({ method }) => method === question.method)
                  .map(({ path, summary }) => (
                    <option key={path} value={path}>
                      {summary}
                    </option>
                  ))}
              </datalist>
              <p className="min-h-4 text-ink-muted text-xs">{entry?.summary}</p>
            </div>
          </div>
        </Card>
        <Answer />
      </div>
    </Page>
  );
}

/** Oneself; for admins, everyone in the project and every token of it. */
function Identities({ id, value, onChange }: { id: string; value: string; onChange: (identity: string) => void }) {
  const { project } = useProject();
  if (project.role === 'admin') return <AllIdentities id={id} value={value} onChange={onChange} />;
  return <Select id={id} options={[{ value: 'me', label: 'Me' }]} value={value} onValueChange={onChange} />;
}

function AllIdentities({ id, value, onChange }: { id: string; value: string; onChange: (identity: string) => void }) {
  const users = useList('/api/v1/identity/users', { limit: 200 });
  const tokens = useList('/api/v1/identity/tokens', { limit: 200 });
  const options = [
    { value: 'me', label: 'Me' },
    ...(users.data?.rows ?? []).map((user) => ({
      value: `user:${user.id}`,
      label: user.name,
      description: `${user.email} · ${user.roles.join(', ')}`,
    })),
    ...(tokens.data?.rows ?? []).map((token) => ({
      value: `token:${token.id}`,
      label: token.name,
      description: `API token · ${token.role}`,
    })),
  ];
  return <Select id={id} options={options} value={value} onValueChange={onChange} />;
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
  if (answer.error) return <ErrorNotice title="The question could not be answered" error={answer.error} />;
  if (!answer.data || !path.startsWith('/')) {
    return <p className="text-ink-muted text-sm">Choose a path, and the answer shows here at once.</p>;
  }
  return <Verdict {...answer.data} />;
}
