'use client';

import { Loaded } from '@/components/page/loaded';
import { ButtonLink } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';
import { Handover } from './handover';

export interface CreatedTenantProps {
  tenantId: string;
  /** As asked for, the password included. */
  admin: { email: string; password: string };
}

/** What to do next for the first admin: hand over a password, or wait for someone who has an account to accept. */
export function CreatedTenant({ tenantId, admin: { email, password } }: CreatedTenantProps) {
  const { api } = useBackOffice();
  const users = api.useQuery('get', '/admin/api/v1/users', { params: { query: { email, tenant_id: tenantId } } });
  return (
    <div className="max-w-2xl space-y-5">
      <Loaded query={users} what="What came of the first admin" skeleton={<Skeleton className="h-40 w-full" />}>
        {([user]) =>
          user?.memberships.find(({ project_id }) => project_id === tenantId)?.status === 'invited' ? (
            <Card title="The first admin is invited">
              <p className="text-pretty text-ink-muted text-sm">
                {email} has an account here already, so the first password is not used. They find the invitation in the
                list of their projects when they sign in, and run this one once they accept.
              </p>
            </Card>
          ) : (
            <Handover email={email} password={password} />
          )
        }
      </Loaded>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={adminPaths.tenant(tenantId)} variant="primary">
          Go to the tenant
        </ButtonLink>
        <ButtonLink href={adminPaths.tenantLimits(tenantId)}>Edit its limits</ButtonLink>
      </div>
    </div>
  );
}
