import { CircleHelp } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Badge } from '@/components/kit/ui/badge';
import { Card } from '@/components/kit/ui/card';
import type { components } from '@/lib/client/schema';
import { formatCount } from '@/lib/format/quantity';
import { EngineLimits } from './engine-limits';
import { MissingPrograms } from './missing-programs';

export type EngineReport = components['schemas']['EngineReport'];

/** What the engines of one host last said about themselves. */
export function HostEngines({ host, reports }: { host: string; reports: readonly EngineReport[] }) {
  const silent = reports.filter((report) => report.silent).length;
  return (
    <Card
      title={host}
      description={
        silent > 0
          ? `${formatCount(silent, 'engine')} of this host ${silent === 1 ? 'has' : 'have'} not reported for five minutes. Check that the host’s worker is running.`
          : `${formatCount(reports.length, 'engine')} on this host`
      }
      flush
    >
      <ul aria-label={`Engines of ${host}`} className="divide-y">
        {reports.map((report) => (
          <Engine key={report.engine} {...report} />
        ))}
      </ul>
    </Card>
  );
}

function Engine({ engine, status, message, details, silent, updated_at }: EngineReport) {
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3.5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5 sm:flex-col">
        <h3 className="font-medium capitalize">{engine.replaceAll('_', ' ')}</h3>
        {silent ? (
          <Badge tone="caution">
            <CircleHelp aria-hidden="true" />
            Silent
          </Badge>
        ) : (
          <StatusBadge status={status} />
        )}
      </div>
      <div className="min-w-0 space-y-2.5">
        <p className={silent ? 'text-pretty text-ink-muted' : 'text-pretty'}>
          {silent && <span className="text-ink-subtle">Last report ({status}):</span>}
          {message}
        </p>
        <MissingPrograms details={details} />
        <EngineLimits details={details} />
      </div>
      <p className="whitespace-nowrap text-ink-subtle text-xs sm:pt-0.5 sm:text-right">
        Reported <Time at={updated_at} />
      </p>
    </li>
  );
}
