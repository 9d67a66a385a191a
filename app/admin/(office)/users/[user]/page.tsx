'use client';

import { use } from 'react';
import { users } from '@/components/backoffice/navigation';
import { TextLink } from '@/components/backoffice/text-link';
import { type PlatformUser, useUserActions } from '@/components/backoffice/user-actions';
import { SecondFactor } from '@/components/backoffice/user-columns';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Badge } from '@/components/kit/ui/badge';
import { Card } from '@/components/kit/ui/card';
import { useBackOffice } from '@/lib/client/backoffice';
import { readPlatformUser } from '@/lib/client/operations/backoffice';
import { adminPaths } from '@/lib/paths';

/** One person: their account, and what they are in which tenants. */
export default function UserPage({ params }: { params: Promise<{ user: string }> }) {
  const { user: id } = use(params);
  const { api } = useBackOffice();
  const actions = useUserActions();
  const query = api.useQuery('get', '/admin/api/v1/users/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={users}
      query={query}
      get={readPlatformUser}
      badge={({ administrator }) => administrator && <Badge tone="accent">Administrator</Badge>}
      actions={actions}
      content={(user) => (
        <div className="space-y-6">
          <Account {...user} />
          <Memberships {...user} />
        </div>
      )}
    />
  );
}

function Account({ id, email, email_verified, two_factor_enabled, created_at, updated_at }: PlatformUser) {
  return (
    <Card title="Account">
      <PropertyList
        items={[
          ['E-mail', email],
          ['Address verified', email_verified ? 'Yes, by a mailed link' : 'No'],
          ['Two-factor authentication', <SecondFactor key="factor" on={two_factor_enabled} />],
          ['ID', <Id key="id" value={id} label="user ID" full />],
          [
            'Related',
            <TextLink key="records" href={adminPaths.audit({ actor: id })}>
              Audit log
            </TextLink>,
          ],
          ['Created', <Time key="created" at={created_at} form="exact" />],
          ['Updated', <Time key="updated" at={updated_at} />],
        ]}
      />
    </Card>
  );
}

function Memberships({ memberships }: PlatformUser) {
  return (
    <Card title="Tenants" flush>
      {memberships.length === 0 ? (
        <p className="p-4 text-ink-muted text-sm">Not a member of any tenant.</p>
      ) : (
        <ul className="divide-y text-sm">
          {memberships.map(({ project_id, tenant_name, tenant_slug, tenant_status, status, roles }) => (
            <li key={project_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
              <span className="min-w-0 flex-1 basis-56">
                <TextLink href={adminPaths.tenant(project_id)}>{tenant_name}</TextLink>{' '}
                <span className="font-mono text-ink-subtle text-xs">{tenant_slug}</span>
              </span>
              <span className="text-ink-muted capitalize">{roles.join(', ') || 'No role'}</span>
              <StatusBadge status={status} />
              {tenant_status === 'suspended' && <StatusBadge status="suspended" reason="The tenant is suspended." />}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
