'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';
import { saveFile } from '@/lib/client/download';
import { caFile, snippetsOf, targetOf } from './snippets';
import type { Cluster } from './types';

/** Where a cluster answers, with commands and code that connect to it, and its CA. */
export function ConnectionCard({ cluster }: { cluster: Cluster }) {
  const { endpoint, read_endpoint, sentinel, floating_ip } = cluster;
  if (!endpoint) {
    return <Card title="Connect" description="The cluster gets its address when its members run." />;
  }
  return (
    <Card
      title="Connect"
      description="With TLS, verified by the CA of this cluster."
      actions={<CaDownload cluster={cluster} certificate={endpoint.ca_certificate} />}
    >
      <div className="space-y-5">
        <PropertyList
          items={[
            ['Endpoint', <Id key="endpoint" value={`${endpoint.host}:${endpoint.port}`} label="endpoint" full />],
            [
              'For reads only',
              read_endpoint ? (
                <Id key="reads" value={`${read_endpoint.host}:${read_endpoint.port}`} label="read endpoint" full />
              ) : undefined,
            ],
            [
              'Sentinel',
              sentinel ? (
                <span key="sentinel">
                  <Id value={`${sentinel.host}:${sentinel.port}`} label="address of the Sentinel" full /> for{' '}
                  {sentinel.master_name}
                </span>
              ) : undefined,
            ],
            [
              'From the internet',
              floating_ip === null ? undefined : <Id key="floating" value={floating_ip} label="floating IP" full />,
            ],
          ]}
        />
        <p className="text-pretty text-ink-muted text-sm">{reachOf(floating_ip)}</p>
        <Snippets cluster={cluster} />
      </div>
    </Card>
  );
}

function reachOf(floating_ip: string | null): string {
  return floating_ip === null
    ? 'Reachable from its network. Associate a floating IP to connect from the internet.'
    : 'From the internet, a security group must allow the port.';
}

/** Saves the CA under the name that the snippets use. */
export function CaDownload({ cluster, certificate }: { cluster: Pick<Cluster, 'name'>; certificate: string }) {
  const save = () => saveFile(new Blob([certificate], { type: 'application/x-pem-file' }), caFile(cluster));
  return (
    <Button size="sm" onClick={save}>
      <Download /> Download CA
    </Button>
  );
}

/** Commands and code that connect, each ready to paste. */
export function Snippets({ cluster }: { cluster: Cluster }) {
  const [from, setFrom] = useState<'network' | 'internet'>('network');
  const target = targetOf(cluster, from);
  if (!target) return null;
  const snippets = snippetsOf(target);
  return (
    <div>
      {cluster.floating_ip !== null && (
        <fieldset className="mb-3 flex flex-wrap items-center gap-2">
          <legend className="sr-only">Connect from</legend>
          {(['network', 'internet'] as const).map((place) => (
            <Button
              key={place}
              size="sm"
              aria-pressed={from === place}
              className="aria-pressed:bg-accent-soft"
              onClick={() => setFrom(place)}
            >
              {place === 'network' ? 'From its network' : 'From the internet'}
            </Button>
          ))}
        </fieldset>
      )}
      <Tabs defaultValue="cli">
        <TabsList aria-label="Ways to connect">
          {snippets.map(({ name, label }) => (
            <TabsTrigger key={name} value={name}>
              {label}
            </TabsTrigger>
          ))}
        </TabsList>
        {snippets.map(({ name, label, needs, code }) => (
          <TabsContent key={name} value={name}>
            <p className="mb-2 text-pretty text-ink-muted text-xs">{needs}</p>
            <CodeBlock code={code} label={`${label} snippet`} />
          </TabsContent>
        ))}
      </Tabs>
    </div>
  );
}
