'use client';

import { Page } from '@/components/kit/page/page';
import { PortsTable } from '@/components/network/ports-table';

/** Every virtual interface of the project. */
export default function PortsPage() {
  return (
    <Page
      title="Ports"
      description="Virtual network interfaces of instances. A port is created and deleted with its instance."
    >
      <PortsTable />
    </Page>
  );
}
