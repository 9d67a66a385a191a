'use client';

import { CircleCheck, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';
import type { components } from '@/lib/client/schema';
import { formatMoney } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { adminPaths } from '@/lib/paths';

type Overview = components['schemas']['PlatformOverview'];

/** What needs an administrator, then the platform in numbers, then how much of it is given away. */
export function PlatformOverview() {
  const { api } = useBackOffice();
  const overview = api.useQuery('get', '/admin/api/v1/overview');
  return (
    <Loaded query={overview} what="The overview" skeleton={<Outline />}>
      {(data) => (
        <div className="space-y-6">
          <Attention items={attention(data)} />
          <Numbers {...data} />
          <Allocation {...data.allocation} />
        </div>
      )}
    </Loaded>
  );
}

interface AttentionItem {
  text: string;
  /** Where something can be done about it. */
  link?: { href: string; label: string };
}

function attention({ operations, engines, payments, shared_sites }: Overview): AttentionItem[] {
  const items: AttentionItem[] = [];
  const engine = (count: number, one: string, several: string) => {
    if (count === 0) return;
    const text = `${formatCount(count, 'engine')} ${count === 1 ? one : several}`;
    items.push({ text, link: { href: adminPaths.engines(), label: 'View engines' } });
  };
  engine(engines.unavailable, 'is unavailable', 'are unavailable');
  engine(engines.silent, 'has not reported for five minutes', 'have not reported for five minutes');
  engine(engines.degraded, 'is degraded', 'are degraded');
  if (operations.failed_last_day > 0) {
    const text = `${formatCount(operations.failed_last_day, 'operation')} failed in the last 24 hours`;
    items.push({ text, link: { href: adminPaths.operations({ status: 'failed' }), label: 'View failed operations' } });
  }
  if (payments.failed > 0) {
    const text = `${formatCount(payments.failed, 'payment')} failed: ${formatMoney(payments.failed_usd)} is due`;
    items.push({ text, link: { href: adminPaths.invoices({ status: 'failed' }), label: 'View failed payments' } });
  }
  if (payments.taken_back > 0) {
    const text = `${formatMoney(payments.owed_usd)} is owed for refunded or disputed payments`;
    items.push({ text, link: { href: adminPaths.reversals({ owed: 'true' }), label: 'View tenants' } });
  }
  for (const name of shared_sites) {
    items.push({
      text: `${name} shares a site with the portal or the back office: pages of tenants can set its cookies (GATEWAY_SAME_SITE)`,
    });
  }
  return items;
}

function Attention({ items }: { items: AttentionItem[] }) {
  if (items.length === 0) {
    return (
      <p className="flex items-center gap-2.5 rounded-lg border bg-surface px-4 py-3 text-sm">
        <CircleCheck className="size-4 shrink-0 text-positive-ink" aria-hidden="true" />
        No action needed. All engines report, and no payment or operation failed in the last 24 hours.
      </p>
    );
  }
  return (
    <section aria-label="Needs attention" className="rounded-lg border border-caution/50 bg-caution-soft px-4 py-1">
      <ul className="divide-y divide-caution/25 text-sm">
        {items.map(({ text, link }) => (
          <li key={text} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="flex items-center gap-2.5">
              <TriangleAlert className="size-4 shrink-0 text-caution-ink" aria-hidden="true" />
              {text}
            </span>
            {link && (
              <Link href={link.href} className="rounded-sm font-medium text-caution-ink underline underline-offset-2">
                {link.label}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Numbers({ tenants, users, operations, engines }: Overview) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
      <Tile title="Tenants" href={adminPaths.tenants()} value={tenants.total}>
        {formatNumber(tenants.active)} active ·{' '}
        <TileLink href={adminPaths.tenants({ status: 'suspended' })}>
          {formatNumber(tenants.suspended)} suspended
        </TileLink>
      </Tile>
      <Tile title="Users" href={adminPaths.users()} value={users.total}>
        <TileLink href={adminPaths.administrators()}>{formatCount(users.administrators, 'administrator')}</TileLink>
      </Tile>
      <Tile
        title="Operations in progress"
        href={adminPaths.operations()}
        value={operations.running + operations.pending}
      >
        {formatNumber(operations.running)} running · {formatNumber(operations.pending)} pending ·{' '}
        <TileLink href={adminPaths.operations({ status: 'failed' })}>{formatNumber(operations.failed)} failed</TileLink>
      </Tile>
      <Tile
        title="Engines available"
        href={adminPaths.engines()}
        value={engines.available}
        of={engines.available + engines.degraded + engines.unavailable + engines.silent}
      >
        {formatNumber(engines.degraded)} degraded · {formatNumber(engines.unavailable)} unavailable ·{' '}
        {formatNumber(engines.silent)} silent
      </Tile>
    </div>
  );
}

interface TileProps {
  title: string;
  href: string;
  value: number;
  of?: number;
  children: ReactNode;
}

function Tile({ title, href, value, of, children }: TileProps) {
  return (
    <section className="rounded-lg border bg-surface p-4">
      <h2 className="text-ink-muted text-sm">
        <Link href={href} className="rounded-sm hover:text-ink hover:underline">
          {title}
        </Link>
      </h2>
      <p className="mt-1 font-semibold text-2xl tabular-nums tracking-[-0.02em]">
        {formatNumber(value)}
        {of !== undefined && <span className="font-normal text-base text-ink-muted"> of {formatNumber(of)}</span>}
      </p>
      <p className="mt-1 text-ink-muted text-xs tabular-nums">{children}</p>
    </section>
  );
}

function TileLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="rounded-sm underline decoration-line-strong underline-offset-2 hover:text-ink">
      {children}
    </Link>
  );
}

function Allocation({ vcpus, ram_gb, storage_tb }: Overview['allocation']) {
  return (
    <Card title="Allocation" description="Usage of all tenants against the sum of their limits.">
      {vcpus.limit === 0 ? (
        <p className="text-ink-muted text-sm">No limits set for any tenant yet.</p>
      ) : (
        <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2 xl:grid-cols-3">
          <QuotaBar label="vCPUs" {...vcpus} />
          <QuotaBar label="Memory" {...ram_gb} />
          <QuotaBar label="Block storage" {...storage_tb} />
        </div>
      )}
    </Card>
  );
}

function Outline() {
  return (
    <div className="space-y-6">
      <Skeleton className="h-11 w-full" />
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {['tenants', 'users', 'operations', 'engines'].map((tile) => (
          <Skeleton key={tile} className="h-25 w-full" />
        ))}
      </div>
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
