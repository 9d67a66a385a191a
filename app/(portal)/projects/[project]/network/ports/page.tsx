'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { ports } from '@/components/network/domain';
import { portColumns } from '@/components/network/ports-table';
import { listPorts } from '@/lib/client/operations/network';

/** Every virtual interface of the project. */
export default function PortsPage() {
  return (
    <ResourceList
      of={ports}
      list={listPorts}
      about="Virtual network interfaces of instances. A port is created and deleted with its instance."
      empty="A port is a virtual network interface with an IP and a MAC address. Each instance gets one when it is created."
      columns={portColumns}
      filters={['status']}
      rowName={({ ip }) => ip}
    />
  );
}
