'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { ButtonLink } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { type Acceptance, AcceptanceCode } from '@/components/members/acceptance-code';
import { SignInDetails } from '@/components/members/sign-in-details';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';

export interface CreatedTenantProps {
  tenantId: string;
  name: string;
  acceptance: Acceptance;
  /** As asked for, the password included. */
  admin: { email: string; password: string };
}

/** What to do next for the first admin: hand over a password, or the code to someone who has an account. */
export function CreatedTenant({ tenantId, name, acceptance, admin: { email, password } }: CreatedTenantProps) {
  const { api, signInAt } = useBackOffice();
  const users = api.useQuery('get', '/admin/api/v1/users', { params: { query: { email, tenant_id: tenantId } } });
  return (
    <div className="max-w-2xl space-y-5">
      <Loaded query={users} what="The first admin" skeleton={<Skeleton className="h-40 w-full" />}>
        {([user]) =>
          user?.memberships.find(({ project_id }) => project_id === tenantId)?.status === 'invited' ? (
            <AcceptanceCode {...acceptance} email={email} becomes={`the first admin of ${name}`} />
          ) : (
            <SignInDetails address={signInAt.portal} email={email} password={password} />
          )
        }
      </Loaded>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={adminPaths.tenant(tenantId)} variant="primary">
          Go to the tenant
        </ButtonLink>
        <ButtonLink href={adminPaths.tenantLimits(tenantId)}>Edit limits</ButtonLink>
      </div>
    </div>
  );
}
