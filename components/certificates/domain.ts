import { FileBadge } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const certificates: ResourceKind = {
  label: 'Certificates',
  noun: 'certificate',
  type: 'certificate',
  icon: FileBadge,
  href: (project) => paths.certificates(project),
  keywords: ['tls', 'ssl', 'https', 'acme', 'lets encrypt', 'pem'],
  create: { label: 'Add certificate', href: paths.newCertificate, operation: 'createCertificate' },
};
