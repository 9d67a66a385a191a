'use client';

import { QuotaBar } from '@/components/kit/data/quota-bar';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

interface StorageImpactProps {
  /** How many volumes more: none when one is resized. */
  volumes: 0 | 1;
  /** How many GB more; 0 while the form says none. */
  gigabytes: number;
  /** Without a frame of its own, inside a dialog. */
  plain?: boolean;
}

/** The quota that a volume will use. In GB, as TB would hide small volumes. */
export function StorageImpact({ volumes, gigabytes, plain = false }: StorageImpactProps) {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  const bars = (
    <Loaded query={quota} what="The quota" skeleton={<Skeleton className={volumes ? 'h-28 w-full' : 'h-12 w-full'} />}>
      {(data) => (
        <div className="space-y-5">
          {volumes > 0 && <QuotaBar label="Volumes" {...data.volumes} claim={volumes} />}
          <QuotaBar
            label="Block storage"
            used={data.storage_tb.used * 1024}
            limit={data.storage_tb.limit * 1024}
            unit="GB"
            claim={gigabytes}
          />
        </div>
      )}
    </Loaded>
  );
  if (plain) return bars;
  return (
    <Card title="Quota" description="What this volume uses.">
      {bars}
    </Card>
  );
}

/** A whole number of GB that a reader has typed, or 0. */
export function gigabytesOf(text: string): number {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0;
}
