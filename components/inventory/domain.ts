import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const inventory: ResourceKind = {
  label: 'Inventory',
  noun: 'resource',
  icon: kindIcon('boxes'),
  href: (project) => paths.inventory(project),
  keywords: ['all resources', 'tags', 'search', 'csv', 'export', 'assets'],
};

export const catalog: NavigationEntry = {
  label: 'Catalog',
  icon: kindIcon('layout-grid'),
  href: paths.catalog,
  keywords: ['services', 'products', 'offers', 'create', 'start'],
};
