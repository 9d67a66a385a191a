'use client';

import { Table2, Waypoints } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useRef } from 'react';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Button } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { TopologyPicture } from '@/components/network/topology-picture';
import { TopologyTable } from '@/components/network/topology-table';
import { type TopologyData, useTopology } from '@/components/network/use-topology';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const TABLE = 'table';

/** How everything in the project hangs together, as a picture that follows every change, or as a table. */
export default function TopologyPage() {
  const query = useTopology();
  const asTable = useSearchParams().get('view') === TABLE;
  return (
    <Page
      full
      title="Topology"
      description="From the internet to each instance. Hover over an item to highlight its path."
      actions={<ViewSwitch asTable={asTable} />}
    >
      <Loaded query={query} what="The topology" skeleton={<Skeleton className="h-96 w-full" />}>
        {(data: TopologyData) => (asTable ? <TopologyTable data={data} /> : <Picture data={data} />)}
      </Loaded>
    </Page>
  );
}

function Picture({ data }: { data: TopologyData }) {
  const may = useMay('createInstance');
  const frame = useRef<HTMLDivElement>(null);
  return (
    <div ref={frame} className="min-h-80">
      <TopologyPicture data={data} frame={frame} mayCreate={may.allowed} />
    </div>
  );
}

/** Picture or table; which of them stands in the address. */
function ViewSwitch({ asTable }: { asTable: boolean }) {
  const { project } = useProject();
  const picture = paths.topology(project.slug);
  const show = (address: string) => window.history.replaceState(null, '', address);
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons are no form
    <div role="group" aria-label="View" className="flex gap-1">
      <Button variant={asTable ? 'quiet' : 'secondary'} aria-pressed={!asTable} onClick={() => show(picture)}>
        <Waypoints /> Diagram
      </Button>
      <Button
        variant={asTable ? 'secondary' : 'quiet'}
        aria-pressed={asTable}
        onClick={() => show(`${picture}?view=${TABLE}`)}
      >
        <Table2 /> Table
      </Button>
    </div>
  );
}
