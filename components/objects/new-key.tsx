'use client';

import { useId, useState } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { PropertyList } from '@/components/kit/data/property-list';
import { Secret } from '@/components/kit/data/secret';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { Switch } from '@/components/kit/ui/choice';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';
import { SERVICE_S3_URL } from '@/lib/service-address';
import { type Connection, snippets } from './snippets';

interface NewKeyProps {
  secret: string;
  connection: Connection;
  back: string;
}

/** An access key right after it was made: the only time that its secret can be read. */
export function NewKey({ secret, connection, back }: NewKeyProps) {
  const { endpoint, region, access_key } = connection;
  return (
    <Card title="Access key created" description="Copy the secret now. It will not be shown again.">
      <div className="space-y-5">
        <Secret value={secret} label="secret key" />
        <PropertyList
          items={[
            ['Access key', <code key="key">{access_key}</code>],
            ['Endpoint', <code key="endpoint">{endpoint}</code>],
            ['In private networks', <code key="inside">{SERVICE_S3_URL}</code>],
            ['Region', <code key="region">{region}</code>],
          ]}
        />
        <Clients connection={connection} />
        <ButtonLink href={back} variant="primary">
          Done
        </ButtonLink>
      </div>
    </Card>
  );
}

/** How to use a key with the usual clients. */
export function Clients({ connection }: { connection: Connection }) {
  const id = useId();
  const [isInside, setInside] = useState(false);
  const used = isInside ? { ...connection, endpoint: SERVICE_S3_URL } : connection;
  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-xs">
        <p className="text-ink-muted">With the secret in $S3_SECRET_KEY</p>
        <span className="flex items-center gap-2">
          <Switch id={id} checked={isInside} onChange={({ target }) => setInside(target.checked)} />
          <label htmlFor={id}>For machines in private networks</label>
        </span>
      </div>
      <Tabs defaultValue={snippets[0]?.name ?? ''}>
        <TabsList aria-label="Clients">
          {snippets.map(({ name, label }) => (
            <TabsTrigger key={name} value={name}>
              {label}
            </TabsTrigger>
          ))}
        </TabsList>
        {snippets.map(({ name, label, code }) => (
          <TabsContent key={name} value={name}>
            <CodeBlock label={`Commands for ${label}`} code={code(used)} />
          </TabsContent>
        ))}
      </Tabs>
    </div>
  );
}
