'use client';

import { Download } from 'lucide-react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Secret } from '@/components/kit/data/secret';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { fileNameOf, saveFile } from '@/lib/client/download';

interface NewKeyPairProps {
  name: string;
  privateKey: string;
  /** The list of key pairs. */
  back: string;
}

/** A generated key pair right after it was made: the only time that its private half can be read. */
export function NewKeyPair({ name, privateKey, back }: NewKeyPairProps) {
  const file = `${fileNameOf(name)}.pem`;
  return (
    <Card
      title={`${name} created`}
      description="Download or copy the private key now. It is not stored and will not be shown again."
    >
      <div className="space-y-5">
        <Secret value={privateKey} label="private key" />
        <div>
          <p className="mb-1.5 text-ink-muted text-xs">Move the downloaded file to a place that only you can read</p>
          <CodeBlock label="command" code={`install -m 600 ~/Downloads/${file} ~/.ssh/ && rm ~/Downloads/${file}`} />
        </div>
        <div className="flex flex-wrap gap-2">
          <ButtonLink href={back} variant="primary">
            Done
          </ButtonLink>
          <Button onClick={() => saveFile(new Blob([privateKey], { type: 'application/x-pem-file' }), file)}>
            <Download /> Download private key
          </Button>
        </div>
      </div>
    </Card>
  );
}
