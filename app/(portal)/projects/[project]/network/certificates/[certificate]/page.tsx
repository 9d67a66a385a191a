'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { type Certificate, useCertificateActions } from '@/components/certificates/certificate-actions';
import { CertificateOverview } from '@/components/certificates/certificate-overview';
import { certificates } from '@/components/certificates/domain';
import { OrderProgress } from '@/components/certificates/order-progress';
import { Validity } from '@/components/certificates/validity';
import type { Fact } from '@/components/kit/page/facts';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { getCertificate } from '@/lib/client/operations/gateway';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';

/** Details of a certificate: names, validity, users, chain and activity. */
export default function CertificatePage() {
  const { certificate: id } = useParams<{ certificate: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useCertificateActions({ onDeleted: () => router.push(paths.certificates(project.slug)) });
  const query = api.useQuery('get', '/api/v1/gateway/certificates/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={certificates}
      query={query}
      get={getCertificate}
      facts={factsOf}
      actions={actionsOf}
      above={(certificate) => <OrderProgress certificate={certificate} />}
      tabs={(certificate) => [
        { name: 'overview', label: 'Overview', content: () => <CertificateOverview certificate={certificate} /> },
        activityTab(id),
      ]}
    />
  );
}

function factsOf(certificate: Certificate): Fact[] {
  return [
    ['Time left', <Validity key="left" certificate={certificate} />],
    ['Issuer', certificate.issuer === 'acme' ? 'Ordered, renews itself' : 'Uploaded'],
    ['Used by', formatNumber(certificate.used_by.length)],
  ];
}
