import { auditLog } from '@/components/audit/domain';
import {
  billingDetails,
  budget,
  budgetAlerts,
  costs,
  credit,
  invoices,
  paymentMethods,
  rateCard,
  usage,
} from '@/components/billing/domain';
import { certificates } from '@/components/certificates/domain';
import { flavors, instances, keyPairs } from '@/components/compute/domain';
import { databaseBackups, databaseClusters } from '@/components/databases/domain';
import { functions } from '@/components/functions/domain';
import { routes } from '@/components/gateway/domain';
import { identityProviders } from '@/components/iam/domain';
import { images } from '@/components/images/domain';
import { catalog, inventory } from '@/components/inventory/domain';
import { type NavigationEntry, type NavigationGroup, tabbed } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { layers } from '@/components/layers/domain';
import { loadBalancers } from '@/components/loadbalancing/domain';
import { users } from '@/components/members/domain';
import { floatingIps, networks, ports, routers, securityGroups, topology } from '@/components/network/domain';
import { accessKeys, buckets } from '@/components/objects/domain';
import { dashboards, logs, metrics } from '@/components/observability/domain';
import { policySimulator } from '@/components/policy/domain';
import { secrets } from '@/components/secrets/domain';
import { ssoClients } from '@/components/sso/domain';
import { snapshots, volumes } from '@/components/storage/domain';
import { tokens } from '@/components/tokens/domain';
import { paths } from '@/lib/paths';

const overview: NavigationEntry = {
  label: 'Overview',
  shortcut: 'o',
  icon: kindIcon('layout-dashboard'),
  href: paths.overview,
  keywords: ['home'],
};

const quota: NavigationEntry = {
  label: 'Quota',
  icon: kindIcon('ruler'),
  href: paths.quota,
  keywords: ['limits'],
};

/** A page whose name is shorter below the name of its group. */
const inGroup = (entry: NavigationEntry, label: string): NavigationEntry => ({ ...entry, label, title: entry.label });

/** Every page of a project, in groups. Pages that belong together are one entry, with a tab for each. */
export const portalNavigation: readonly NavigationGroup[] = [
  { entries: [overview, inventory, catalog] },
  { label: 'Compute', entries: [tabbed([instances, flavors]), images, keyPairs] },
  {
    label: 'Networking',
    entries: [
      tabbed([networks, topology, routers, ports]),
      loadBalancers,
      floatingIps,
      securityGroups,
      routes,
      certificates,
    ],
  },
  { label: 'Storage', entries: [tabbed([volumes, snapshots]), tabbed([buckets, accessKeys], 'Object storage')] },
  { label: 'Databases', entries: [inGroup(databaseClusters, 'Clusters'), inGroup(databaseBackups, 'Backups')] },
  { label: 'Serverless', entries: [functions, layers] },
  { label: 'Observability', entries: [dashboards, metrics, logs] },
  { label: 'Security', entries: [secrets, policySimulator, auditLog] },
  {
    label: 'Billing',
    entries: [
      tabbed([costs, usage]),
      tabbed([budget, budgetAlerts]),
      tabbed([credit, paymentMethods], 'Payments'),
      invoices,
      rateCard,
    ],
  },
  { label: 'Project', entries: [users, tokens, identityProviders, ssoClients, quota, billingDetails] },
];
