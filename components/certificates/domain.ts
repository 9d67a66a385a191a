import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const certificates: ResourceKind = {
  label: 'Certificates',
  noun: 'certificate',
  type: 'certificate',
  icon: kindIcon('file-badge'),
  href: (project) => paths.certificates(project),
  keywords: ['tls', 'ssl', 'https', 'acme', 'lets encrypt', 'pem'],
  create: { label: 'Add certificate', href: paths.newCertificate, operation: 'createCertificate' },
  found: { type: 'certificate', one: (project, id) => paths.certificate(project, id) },
};
