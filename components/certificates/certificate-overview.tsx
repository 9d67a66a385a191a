'use client';

import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { TextLink } from '@/components/network/text-link';
import { hrefOf, nounOf } from '@/components/shell/places';
import { useProject } from '@/lib/client/project';
import type { Certificate } from './certificate-actions';

/** Names, validity, users and chain of a certificate. */
export function CertificateOverview({ certificate }: { certificate: Certificate }) {
  const { domains, not_before, not_after, next_order_at, fingerprint_sha256, used_by, chain, id } = certificate;
  return (
    <div className="space-y-5">
      <Card title="Details">
        <PropertyList
          items={[
            ['Names', domains.join(', ')],
            ['Valid from', not_before === null ? undefined : <Time key="from" at={not_before} form="exact" />],
            ['Valid until', not_after === null ? undefined : <Time key="until" at={not_after} form="exact" />],
            ['Next order', next_order_at === null ? undefined : <Time key="next" at={next_order_at} form="exact" />],
            ['Used by', used_by.length === 0 ? 'Nothing' : used_by.map((user) => <User key={user.id} user={user} />)],
            [
              'SHA-256',
              fingerprint_sha256 === null ? undefined : (
                <span key="sha" className="font-mono text-xs">
                  {fingerprint_sha256}
                </span>
              ),
            ],
            ['ID', <Id key="id" value={id} label="Certificate ID" />],
          ]}
        />
      </Card>
      {chain.map(({ subject, issuer, serial_number, key, not_after: end }, index) => (
        <Card key={serial_number} title={index === 0 ? 'Certificate' : `Issuer ${index}`}>
          <PropertyList
            items={[
              ['Subject', subject],
              ['Issued by', issuer],
              ['Key', key],
              [
                'Serial number',
                <span key="serial" className="font-mono text-xs">
                  {serial_number}
                </span>,
              ],
              ['Valid until', <Time key="until" at={end} form="exact" />],
            ]}
          />
        </Card>
      ))}
    </div>
  );
}

function User({ user }: { user: Certificate['used_by'][number] }) {
  const { project } = useProject();
  const href = hrefOf(project.slug, user);
  const words = `${nounOf(user.type)} ${user.name}`;
  return href ? <TextLink href={href}>{words}</TextLink> : <span>{words}</span>;
}
