'use client';

import { CircleCheck, CircleX, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react';
import { Time } from '@/components/kit/data/time';
import { Button } from '@/components/kit/ui/button';
import { formatCount } from '@/lib/format/quantity';
import type { Check, Preflight } from './types';

const titles: Record<Check['id'], string> = {
  certified_path: 'Certified path',
  cluster_health: 'Cluster health',
  fresh_backup: 'Fresh backup',
  capacity: 'Capacity',
  compatibility: 'Compatibility',
};

const looks: Record<Check['status'], { icon: LucideIcon; ink: string; word: string }> = {
  passed: { icon: CircleCheck, ink: 'text-positive-ink', word: 'Passed' },
  warning: { icon: TriangleAlert, ink: 'text-caution-ink', word: 'Warning' },
  failed: { icon: CircleX, ink: 'text-critical-ink', word: 'Failed' },
};

interface PreflightListProps {
  preflight: Preflight;
  checking: boolean;
  onCheck: () => void;
}

/** The five safety gates of an upgrade: what was found, and what to do about it. */
export function PreflightList({ preflight: { checks, passed, checked_at }, checking, onCheck }: PreflightListProps) {
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm" role="status">
          <span className="font-medium">{verdictOf(passed, checks)}</span>{' '}
          <span className="text-ink-muted">
            Checked <Time at={checked_at} />.
          </span>
        </p>
        <Button size="sm" pending={checking} onClick={onCheck}>
          <RefreshCw /> Check again
        </Button>
      </div>
      <ol className="rounded-lg border bg-surface">
        {checks.map((check) => (
          <CheckRow key={check.id} check={check} />
        ))}
      </ol>
    </div>
  );
}

function verdictOf(passed: boolean, checks: readonly Check[]): string {
  const failed = checks.filter(({ status }) => status === 'failed').length;
  if (failed > 0) return `${formatCount(failed, 'check')} failed. The upgrade cannot start.`;
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  if (!passed) return 'The checks did not pass.';
  return warnings > 0 ? `Ready, with ${formatCount(warnings, 'warning')}.` : 'Ready. All checks passed.';
}

function CheckRow({ check: { id, status, message, action, details } }: { check: Check }) {
  const { icon: Icon, ink, word } = looks[status];
  return (
    <li className="flex gap-3 px-4 py-3.5 text-sm not-last:border-b">
      <Icon className={`mt-0.5 size-4 shrink-0 ${ink}`} aria-hidden="true" />
      <div className="min-w-0 flex-1 space-y-1.5">
        <p>
          <span className="font-medium">{titles[id]}</span>
          <span className={`ml-2 text-xs ${ink}`}>{word}</span>
        </p>
        <p className="text-pretty text-ink-muted">{message}</p>
        {details.length > 0 && (
          <ul className="list-disc space-y-1 pl-4" aria-label={`Found by ${titles[id].toLowerCase()}`}>
            {details.map((detail) => (
              <li key={detail} className="text-pretty wrap-anywhere">
                {detail}
              </li>
            ))}
          </ul>
        )}
        {action !== null && (
          <p className="text-pretty border-line-strong border-l-2 pl-3">
            <span className="font-medium">What to do:</span> {action}
          </p>
        )}
      </div>
    </li>
  );
}
