import { clsx } from 'clsx';
import Link from 'next/link';
import { statusLook } from '@/components/kit/data/statuses';
import type { Tone } from '@/components/kit/ui/badge';
import { iconOf, listOf, titleOf } from '@/components/shell/places';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import type { DashboardData } from './use-dashboard';

const dots: Readonly<Record<Tone, string>> = {
  neutral: 'bg-line-strong',
  accent: 'bg-accent',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
  moving: 'bg-moving',
};

/** How many resources of each type there are, and in which states. */
export function ResourceCounts({ resources }: Pick<DashboardData, 'resources'>) {
  const { project } = useProject();
  const present = Object.entries(resources).filter(([type, { total }]) => total > 0 && listOf(project.slug, type));
  if (present.length === 0) {
    return <p className="rounded-lg border border-dashed px-4 py-6 text-ink-muted text-sm">No resources yet.</p>;
  }
  return (
    <ul aria-label="Resources" className="grid grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))] gap-3">
      {present.map(([type, { total, by_status }]) => {
        const Icon = iconOf(type);
        return (
          <li key={type}>
            <Link
              href={listOf(project.slug, type) ?? ''}
              className="block h-full rounded-lg border bg-surface px-3.5 py-3 transition-colors hover:bg-hover"
            >
              <span className="flex items-center gap-2 text-ink-muted text-xs">
                {Icon && <Icon className="size-3.5 shrink-0" aria-hidden="true" />} {titleOf(type)}
              </span>
              <span className="mt-1 block font-semibold text-2xl tabular-nums">{formatNumber(total)}</span>
              <States byStatus={by_status} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function States({ byStatus }: { byStatus: Readonly<Record<string, number>> }) {
  return (
    <span className="mt-1 flex flex-wrap gap-x-3 gap-y-0.5 text-ink-muted text-xs">
      {Object.entries(byStatus).map(([status, count]) => {
        const { label, tone } = statusLook(status);
        return (
          <span key={status} className="inline-flex items-center gap-1.5 whitespace-nowrap">
            <span className={clsx('size-2 rounded-full', dots[tone])} aria-hidden="true" />
            {formatNumber(count)} {label.toLowerCase()}
          </span>
        );
      })}
    </span>
  );
}
