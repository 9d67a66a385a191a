'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { PropertyList } from '@/components/kit/data/property-list';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { roleLabel } from '@/components/members/roles';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { issuerOf } from './issuers';

interface ExchangeDialogProps {
  provider: Row<'/api/v1/iam/providers'>;
  close: () => void;
}

/** How a workload comes by credentials: its own token first, then ours in exchange. */
export function ExchangeDialog({ provider, close }: ExchangeDialogProps) {
  const { project } = useProject();
  const { name, audience, conditions, max_role } = provider;
  const obtain = issuerOf(provider)?.obtain(audience);
  const exchange = `curl -X POST ${window.location.origin}/api/v1/iam/sts/assume-role \\
  -H "Content-Type: application/json" \\
  -d '{"project_id": "${project.id}", "role": "${max_role}",
       "duration_s": 3600, "web_identity_token": "'"$ID_TOKEN"'"}'`;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      size="lg"
      title={`Exchange a token from ${name}`}
      description="A workload presents its platform’s token and gets credentials for 15 minutes to 12 hours."
    >
      <div className="space-y-5">
        <PropertyList
          items={[
            ['Maximum role', roleLabel(max_role)],
            [
              'Audience',
              <code key="audience" className="break-all font-mono text-xs">
                {audience}
              </code>,
            ],
            ...Object.entries(conditions).map(
              ([claim, patterns]) =>
                [
                  `Claim ${claim}`,
                  <code key={claim} className="break-all font-mono text-xs">
                    {patterns.join(' or ')}
                  </code>,
                ] as const,
            ),
          ]}
        />
        {obtain && (
          <section>
            <h3 className="mb-1.5 font-medium text-sm">1. Get the token in the workload</h3>
            <CodeBlock code={obtain} label="how to get a token" />
          </section>
        )}
        <section>
          <h3 className="mb-1.5 font-medium text-sm">{obtain ? '2. Exchange it' : 'With the token in $ID_TOKEN'}</h3>
          <CodeBlock code={exchange} label="how to exchange it" />
          <p className="mt-2 text-pretty text-ink-muted text-xs">
            Send the returned <code>access_token</code> as <code>Authorization: Bearer …</code> with each request. The
            audit log shows why an exchange was refused.
          </p>
        </section>
        <div className="flex justify-end">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
