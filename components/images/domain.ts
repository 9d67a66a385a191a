import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const images: ResourceKind = {
  label: 'Images',
  shortcut: 'm',
  noun: 'image',
  type: 'image',
  icon: kindIcon('disc-3'),
  href: paths.images,
  keywords: ['operating system', 'linux', 'iso', 'qcow2', 'template', 'upload'],
  create: { label: 'Upload image', href: paths.uploadImage, operation: 'uploadImage' },
  found: { type: 'image', one: paths.image },
};
