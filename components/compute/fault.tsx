'use client';

import { CircleAlert } from 'lucide-react';
import Link from 'next/link';
import { Time } from '@/components/kit/data/time';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Instance } from './instance-actions';

/** The fault of an instance and what to do about it, or the reason for its status. */
export function Fault({ instance }: { instance: Instance }) {
  const { project } = useProject();
  const { id, fault, status, status_reason } = instance;
  if (fault) {
    return (
      <div role="status" className="mb-5 flex gap-3 rounded-lg border border-critical/35 bg-critical-soft p-4 text-sm">
        <CircleAlert className="mt-0.5 size-4 shrink-0 text-critical-ink" aria-hidden="true" />
        <div className="min-w-0">
          <p className="font-medium">
            Failed <Time at={fault.at} />
          </p>
          <p className="mt-0.5 text-pretty text-ink-muted">{fault.message}</p>
          <p className="mt-1 text-pretty text-ink-muted">
            Start the instance to retry, or rebuild it on a new boot disk. The{' '}
            <Link
              href={paths.instance(project.slug, id, 'console')}
              className="text-accent underline underline-offset-2"
            >
              boot log
            </Link>{' '}
            shows how far the guest got; the{' '}
            <Link
              href={paths.instance(project.slug, id, 'activity')}
              className="text-accent underline underline-offset-2"
            >
              operations
            </Link>{' '}
            show what the platform did. Until it is deleted, the instance uses quota.
          </p>
        </div>
      </div>
    );
  }
  if (status_reason === null || status === 'provisioning' || status === 'rebuilding') return null;
  return (
    <div role="status" className="mb-5 rounded-lg border border-caution/35 bg-caution-soft p-4 text-pretty text-sm">
      {status_reason}
    </div>
  );
}
