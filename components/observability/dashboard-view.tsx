'use client';

import { Maximize } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useRef } from 'react';
import { type TimeRange, useTimeRange } from '@/components/kit/charts/time-range';
import { TimeRangePicker } from '@/components/kit/charts/time-range-picker';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { Time } from '@/components/kit/data/time';
import { setAddress } from '@/components/kit/page/address';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Select } from '@/components/kit/ui/select';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { TextLink } from '@/components/network/text-link';
import { hrefOf, nounOf } from '@/components/shell/places';
import { getDashboard } from '@/lib/client/operations/observability';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';
import { ResourceCounts } from './resource-counts';
import { formatOf } from './units';
import { UsageCharts } from './usage-charts';
import { type DashboardData, dashboardQuery, useDashboard } from './use-dashboard';

const periods = [
  { value: '1h', label: '1 hour' },
  { value: '6h', label: '6 hours' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
] as const;
const periodNames = periods.map(({ value }) => value);

/** How often the numbers are read again. Samples come every 15 s. */
const refreshes = [
  { value: '15', label: 'Every 15 s' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 min' },
  { value: 'off', label: 'Off' },
] as const;

/** A project at a glance, for a wall or a desk: it keeps itself up to date and fills the screen on demand. */
export default function DashboardView() {
  const params = useSearchParams();
  const time = useTimeRange(periodNames, '1h');
  const refresh = refreshes.find(({ value }) => value === params.get('refresh'))?.value ?? '60';
  const asked = dashboardQuery(time.range, time.zoom);
  const query = useDashboard(asked, refresh === 'off' || time.zoom ? false : Number(refresh) * 1000);
  const wall = useRef<HTMLDivElement>(null);
  return (
    <div ref={wall} className="space-y-4 overflow-auto bg-canvas fullscreen:p-6">
      <div className="flex flex-wrap items-center gap-2">
        <TimeRangePicker ranges={periods} time={time} />
        <div className="ml-auto flex flex-wrap items-center gap-2">
          {query.dataUpdatedAt > 0 && (
            <span className="text-ink-muted text-xs">
              Updated <Time at={new Date(query.dataUpdatedAt).toISOString()} />
            </span>
          )}
          <div className="w-36">
            <Select
              aria-label="Refresh"
              options={refreshes}
              value={refresh}
              onValueChange={(value) => setAddress({ refresh: value === '60' ? undefined : value })}
            />
          </div>
          <CopyAs call={() => ({ operation: getDashboard, query: asked })} />
          <Button size="icon" aria-label="Full screen" onClick={() => void toggleFullScreen(wall.current)}>
            <Maximize />
          </Button>
        </div>
      </div>
      <Loaded query={query} what="The dashboard" skeleton={<Skeleton className="h-112 w-full rounded-lg" />}>
        {(data) => (
          <div className="space-y-4">
            <ResourceCounts resources={data.resources} />
            <UsageCharts data={data} onZoom={time.zoomTo} />
            <div className="grid gap-4 *:min-w-0 lg:grid-cols-2 2xl:grid-cols-4">
              <Requests requests={data.requests} />
              <LogCounts logs={data.logs} time={time} />
              <Incidents incidents={data.incidents} />
              <Top top={data.top} />
            </div>
          </div>
        )}
      </Loaded>
    </div>
  );
}

async function toggleFullScreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await element?.requestFullscreen();
}

function Figure({ label, value, alarming = false }: { label: string; value: string; alarming?: boolean }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-muted text-xs">{label}</dt>
      <dd
        className={
          alarming ? 'font-semibold text-2xl text-critical-ink tabular-nums' : 'font-semibold text-2xl tabular-nums'
        }
      >
        {value}
      </dd>
    </div>
  );
}

function Requests({ requests: { rate, errors_percent, p99_ms } }: Pick<DashboardData, 'requests'>) {
  if (rate === null) {
    return (
      <Card title="Requests">
        <p className="text-ink-muted text-sm">Load balancers and gateways report their requests here.</p>
      </Card>
    );
  }
  return (
    <Card title="Requests">
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        <Figure label="Rate" value={formatOf('per_second').format(rate)} />
        {errors_percent !== null && (
          <Figure label="Errors" value={formatOf('percent').format(errors_percent)} alarming={errors_percent >= 1} />
        )}
        {p99_ms !== null && <Figure label="99th percentile" value={`${formatNumber(Math.round(p99_ms))} ms`} />}
      </dl>
    </Card>
  );
}

const everything = '{service=~".+"}';
const errors = '{level=~"error|critical|fatal"}';

function LogCounts({
  logs: { lines, errors: failed },
  time,
}: Pick<DashboardData, 'logs'> & { time: Pick<TimeRange, 'range' | 'zoom'> }) {
  const { project } = useProject();
  const view = (query: string) =>
    paths.logs(project.slug, { query, ...(time.zoom ? { window: time.zoom } : { range: time.range }) });
  return (
    <Card title="Logs">
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        <Figure label="Lines" value={formatNumber(lines)} />
        <Figure label="Errors" value={formatNumber(failed)} alarming={failed > 0} />
      </dl>
      <p className="mt-3 flex flex-wrap gap-x-4 text-sm">
        <TextLink href={view(everything)}>View lines</TextLink>
        <TextLink href={view(errors)}>View errors</TextLink>
      </p>
    </Card>
  );
}

function Incidents({ incidents }: Pick<DashboardData, 'incidents'>) {
  const { project } = useProject();
  return (
    <Card title="Incidents" flush>
      {incidents.length === 0 ? (
        <p className="p-4 text-ink-muted text-sm">No incidents in this period.</p>
      ) : (
        <ul className="max-h-72 divide-y overflow-y-auto text-sm">
          {incidents.map(({ id, status, reason, resource_type, resource_id, opened_at, closed_at }) => {
            const href = hrefOf(project.slug, { type: resource_type, id: resource_id, name: null });
            return (
              <li key={id} className="px-4 py-2.5">
                <p className={status === 'open' ? 'font-medium text-critical-ink' : 'font-medium text-ink-muted'}>
                  {reason}
                </p>
                <p className="mt-0.5 text-ink-muted text-xs">
                  {href ? <TextLink href={href}>{nounOf(resource_type)}</TextLink> : nounOf(resource_type)} ·{' '}
                  {closed_at === null ? 'open since ' : 'closed '}
                  <Time at={closed_at ?? opened_at} />
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

const measured = [
  { metric: 'cpu', label: 'CPU', unit: 'cores' },
  { metric: 'ram', label: 'Memory', unit: 'bytes' },
  { metric: 'network', label: 'Network', unit: 'bytes_per_second' },
  { metric: 'disk', label: 'Disk', unit: 'bytes_per_second' },
] as const;

function Top({ top }: Pick<DashboardData, 'top'>) {
  const { project } = useProject();
  return (
    <Card title="Top resources" description="By their mean over the period." flush>
      {top.length === 0 ? (
        <p className="p-4 text-ink-muted text-sm">No resource reported metrics in this period.</p>
      ) : (
        <div className="max-h-72 divide-y overflow-y-auto text-sm">
          {measured
            .filter(({ metric }) => top.some((entry) => entry.metric === metric))
            .map(({ metric, label, unit }) => (
              <section key={metric} className="px-4 py-2.5" aria-label={label}>
                <h3 className="mb-1 font-medium text-ink-muted text-xs">{label}</h3>
                <ol className="space-y-0.5">
                  {top
                    .filter((entry) => entry.metric === metric)
                    .map(({ resource, value }) => {
                      const href = hrefOf(project.slug, resource);
                      return (
                        <li key={resource.id} className="flex items-baseline justify-between gap-4">
                          <span className="min-w-0 truncate">
                            {href ? <TextLink href={href}>{resource.name}</TextLink> : resource.name}
                          </span>
                          <span className="shrink-0 tabular-nums">{formatOf(unit).format(value)}</span>
                        </li>
                      );
                    })}
                </ol>
              </section>
            ))}
        </div>
      )}
    </Card>
  );
}
