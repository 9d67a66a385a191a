'use client';

import { PasswordCard } from '@/components/account/password-card';
import { SecondFactorCard } from '@/components/account/second-factor-card';
import { SessionsCard } from '@/components/account/sessions-card';
import { ShortcutsCard } from '@/components/account/shortcuts-card';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import { activateSecondFactor, setUpSecondFactor } from '@/lib/client/backoffice-session';
import { useList } from '@/lib/client/list';
import { adminPaths } from '@/lib/paths';

/** An administrator's own account: password, second factor, and where they are signed in. */
export default function AdminAccountPage() {
  const { api } = useBackOffice();
  const me = api.useQuery('get', '/admin/api/v1/auth/me');
  const sessions = useList('/admin/api/v1/auth/sessions', { limit: 200 });
  const password = api.useMutation('post', '/admin/api/v1/auth/password');
  const disable = api.useMutation('post', '/admin/api/v1/auth/2fa/disable');
  const end = api.useMutation('delete', '/admin/api/v1/auth/sessions/{id}');
  const endAll = api.useMutation('post', '/admin/api/v1/auth/sessions/revoke-all');
  return (
    <Page title="Your account" description="The same account as in the portal.">
      <div className="max-w-4xl space-y-6">
        <Loaded query={me} what="Your account" skeleton={<Skeleton className="h-48 w-full" />}>
          {(account) => (
            <>
              <Card title="Profile">
                <PropertyList
                  items={[
                    ['Name', account.name],
                    ['E-mail', account.email],
                    ['Created', <Time key="since" at={account.created_at} form="date" />],
                  ]}
                />
              </Card>
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
                email={account.email}
                setUp={setUpSecondFactor}
                activate={activateSecondFactor}
                disable={(code) => disable.mutateAsync({ body: { code } })}
                disableError={disable.error}
                required={
                  account.second_factor_required
                    ? 'Required for administrators. Another administrator can reset it if you lose your device.'
                    : undefined
                }
                onChanged={() => void me.refetch()}
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
            await endAll.mutateAsync({ body: {} });
            window.location.assign(adminPaths.signIn());
          }}
        />
      </div>
    </Page>
  );
}
