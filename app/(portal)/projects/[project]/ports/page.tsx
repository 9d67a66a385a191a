'use client';

import { PortsTable } from '@/components/network/ports-table';
import { Page } from '@/components/page/page';

/** Every virtual interface of the project. */
export default function PortsPage() {
  return (
    <Page
      title="Ports"
      description="Virtual interfaces: an address on a network, its MAC, and what holds it. A port comes and goes with its instance."
    >
      <PortsTable />
    </Page>
  );
}
