'use client';

import { Cpu } from 'lucide-react';
import { flavors } from '@/components/compute/domain';
import { flavorColumns } from '@/components/compute/flavor-columns';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { PricedMonth } from '@/components/pricing/claims-price';
import { useMay } from '@/lib/client/may';
import { listFlavors } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** The sizes of instances. */
export default function FlavorsPage() {
  const { project } = useProject();
  const may = useMay('createInstance');
  return (
    <ResourceList
      of={flavors}
      list={listFlavors}
      about={
        <>
          Instance sizes and their price while running; <PricedMonth />. vCPUs and memory count towards the project’s
          quota, boot disks do not.
        </>
      }
      emptyTitle="No flavors"
      empty="Platform administrators define the available flavors."
      columns={flavorColumns}
      searchable={false}
      actions={({ id, status }) => [
        {
          label: 'Create instance',
          icon: Cpu,
          href: paths.newInstance(project.slug, { flavor_id: id }),
          disabledReason: status === 'deprecated' ? 'Deprecated. Choose another flavor for new instances.' : may.reason,
        },
      ]}
    />
  );
}
