import { Boxes, LayoutGrid } from 'lucide-react';
import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const inventory: ResourceKind = {
  label: 'Inventory',
  noun: 'resource',
  icon: Boxes,
  href: (project) => paths.inventory(project),
  keywords: ['all resources', 'tags', 'search', 'csv', 'export', 'assets'],
};

export const catalog: NavigationEntry = {
  label: 'Catalog',
  icon: LayoutGrid,
  href: paths.catalog,
  keywords: ['services', 'products', 'offers', 'create', 'start'],
};
