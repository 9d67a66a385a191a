'use client';

import { CategoryCosts } from '@/components/billing/category-costs';
import { paceOf } from '@/components/billing/pace';
import { RunningCosts } from '@/components/billing/running-costs';
import { SpendSentence } from '@/components/billing/spend-sentence';
import type { Overview } from '@/components/billing/spend-series';
import { SpendTiles, SpendTilesOutline } from '@/components/billing/spend-tiles';
import { useOverview } from '@/components/billing/use-overview';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { paths } from '@/lib/paths';

const SpendChart = lazyComponent(
  () => import('@/components/billing/spend-chart').then((module) => module.SpendChart),
  () => <Skeleton className="h-72 w-full" />,
);
const DailyChart = lazyComponent(
  () => import('@/components/billing/daily-chart').then((module) => module.DailyChart),
  () => <Skeleton className="h-50 w-full" />,
);

const TagCosts = lazyComponent(() => import('@/components/billing/tag-costs').then((module) => module.TagCosts));

/** What the project costs: this month so far and to its end, by service and by day, and what costs money now. */
export default function CostsPage() {
  const { project } = useProject();
  const query = useOverview();
  return (
    <Page
      title="Costs"
      badge={query.data?.budget.status.frozen && <StatusBadge status="frozen" />}
      description="Costs of this project this month (UTC), with a forecast to the end of the month."
      actions={<ButtonLink href={paths.usage(project.slug)}>Explore usage</ButtonLink>}
    >
      <div className="space-y-6">
        <Loaded query={query} what="The costs" skeleton={<Outline />}>
          {(overview) => <Month overview={overview} />}
        </Loaded>
        <TagCosts />
        <RunningCosts />
      </div>
    </Page>
  );
}

function Month({ overview }: { overview: Overview }) {
  const pace = paceOf(overview);
  const days = overview.by_day.map(({ day, amount_usd }) => ({ day, value: amount_usd }));
  return (
    <>
      <SpendTiles overview={overview} pace={pace} />
      <Card title="Spend and forecast" description={<SpendSentence overview={overview} />}>
        <SpendChart overview={overview} pace={pace} />
      </Card>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <Card title="By service">
          <CategoryCosts categories={overview.by_category} />
        </Card>
        <Card title="By day" description={dearestDay(days)}>
          <DailyChart days={days} format={(usd) => formatMoney(usd).replace(/\.00$/, '')} />
        </Card>
      </div>
    </>
  );
}

const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** What the bars show, in words. */
function dearestDay(days: readonly { day: string; value: number }[]): string {
  const dearest = [...days].sort((one, other) => other.value - one.value)[0];
  if (!dearest || dearest.value === 0) return 'No charges this month yet.';
  return `Days are in UTC. Highest: ${dayOf.format(Date.parse(dearest.day))}, ${formatMoney(dearest.value)}.`;
}

function Outline() {
  return (
    <div className="space-y-6">
      <SpendTilesOutline />
      <Skeleton className="h-93 w-full rounded-lg" />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <Skeleton className="h-60 w-full rounded-lg" />
        <Skeleton className="h-60 w-full rounded-lg" />
      </div>
    </div>
  );
}
