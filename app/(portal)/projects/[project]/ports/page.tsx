'use client';

import { PortsTable } from '@/components/network/ports-table';
import { Page } from '@/components/page/page';

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
