'use client';

import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { statusLook } from '@/components/kit/data/statuses';
import type { Cluster } from './types';

/** What a person should know about a cluster before anything else: its problem, its limits. */
export function ClusterNotices({ cluster }: { cluster: Cluster }) {
  const { status, status_reason, preview } = cluster;
  return (
    <>
      {status_reason !== null && <Notice title={statusLook(status).label}>{status_reason}</Notice>}
      {preview !== null && (
        <Notice title={`Preview, ${preview}`}>
          This engine does not promise fail-over here. Use it for development and trials.
        </Notice>
      )}
    </>
  );
}

function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      aria-live="polite"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-moving/35 bg-moving-soft p-4 text-sm"
    >
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        <Info className="mt-0.5 size-4 shrink-0 text-moving-ink" aria-hidden="true" />
        <div className="min-w-0">
          <p className="font-medium">{title}</p>
          <p className="text-pretty text-ink-muted wrap-anywhere">{children}</p>
        </div>
      </div>
    </section>
  );
}
