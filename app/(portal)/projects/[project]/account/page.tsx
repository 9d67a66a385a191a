'use client';

import { NameCard } from '@/components/account/name-card';
import { PasswordCard } from '@/components/account/password-card';
import { SecondFactorCard } from '@/components/account/second-factor-card';
import { ShortcutsCard } from '@/components/account/shortcuts-card';
import { signOutHere } from '@/components/identity/sign-out';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

const SessionsCard = lazyComponent(() =>
  import('@/components/account/sessions-card').then((module) => module.SessionsCard),
);

/** One's own account: name, password, second factor, and where one is signed in. */
export default function AccountPage() {
  const { api } = useProject();
  const me = api.useQuery('get', '/api/v1/auth/me');
  const sessions = useList('/api/v1/auth/sessions', { limit: 200 });
  const rename = api.useMutation('patch', '/api/v1/auth/me');
  const password = api.useMutation('post', '/api/v1/auth/password');
  const setUp = api.useMutation('post', '/api/v1/auth/2fa/setup');
  const activate = api.useMutation('post', '/api/v1/auth/2fa/activate');
  const disable = api.useMutation('post', '/api/v1/auth/2fa/disable');
  const end = api.useMutation('delete', '/api/v1/auth/sessions/{id}');
  const endAll = api.useMutation('post', '/api/v1/auth/sessions/revoke-all');
  const readAgain = () => void me.refetch();
  return (
    <Page title="Profile and security" description="Your account, shared by all your projects." narrow>
      <div className="space-y-6">
        <Loaded query={me} what="Your account" skeleton={<Skeleton className="h-48 w-full" />}>
          {(account) => (
            <>
              <NameCard
                name={account.name}
                email={account.email ?? ''}
                error={rename.error}
                rename={async (name) => {
                  await rename.mutateAsync({ body: { name } });
                  readAgain();
                }}
              />
              <PasswordCard
                error={password.error}
                change={async (body) => {
                  await password.mutateAsync({ body });
                  void sessions.refetch();
                }}
              />
              <SecondFactorCard
                enabled={account.two_factor_enabled}
                recoveryCodesLeft={account.recovery_codes_left}
                email={account.email ?? ''}
                setUp={() => setUp.mutateAsync({ body: {} })}
                activate={async (code) => (await activate.mutateAsync({ body: { code } })).recovery_codes}
                disable={(code) => disable.mutateAsync({ body: { code } })}
                disableError={disable.error}
                onChanged={readAgain}
              />
            </>
          )}
        </Loaded>
        <ShortcutsCard />
        <SessionsCard
          sessions={sessions.data?.rows}
          error={sessions.error}
          retry={() => void sessions.refetch()}
          end={async (id) => {
            await end.mutateAsync({ params: { path: { id } } });
            await sessions.refetch();
          }}
          endAll={async () => {
            await endAll.mutateAsync({});
            await signOutHere();
          }}
        />
      </div>
    </Page>
  );
}
