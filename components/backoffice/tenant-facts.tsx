import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { formatCount } from '@/lib/format/quantity';
import { adminPaths } from '@/lib/paths';
import type { Tenant } from './tenant-actions';
import { TextLink } from './text-link';

/** What is known of a tenant, with links to its records. */
export function TenantFacts({ id, slug, members, created_at, updated_at }: Tenant) {
  return (
    <Card title="Details">
      <PropertyList
        items={[
          [
            'Slug',
            <code key="slug" className="font-mono text-xs">
              {slug}
            </code>,
          ],
          ['ID', <Id key="id" value={id} label="tenant ID" full />],
          [
            'Members',
            <TextLink key="members" href={adminPaths.users({ tenant_id: id })}>
              {formatCount(members, 'user')}
            </TextLink>,
          ],
          [
            'Related',
            <span key="records" className="flex flex-wrap gap-x-4">
              <TextLink href={adminPaths.operations({ tenant_id: id })}>Operations</TextLink>
              <TextLink href={adminPaths.audit({ tenant_id: id })}>Audit log</TextLink>
              <TextLink href={adminPaths.invoices({ tenant_id: id })}>Invoices</TextLink>
              <TextLink href={adminPaths.credits({ tenant_id: id })}>Credit</TextLink>
              <TextLink href={adminPaths.budgets({ search: id })}>Budget</TextLink>
            </span>,
          ],
          ['Created', <Time key="created" at={created_at} form="exact" />],
          ['Updated', <Time key="updated" at={updated_at} />],
        ]}
      />
    </Card>
  );
}
