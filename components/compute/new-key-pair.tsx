'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { Secret } from '@/components/kit/data/secret';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';

interface NewKeyPairProps {
  name: string;
  privateKey: string;
  /** The list of key pairs. */
  back: string;
}

/** A generated key pair right after it was made: the only time that its private half can be read. */
export function NewKeyPair({ name, privateKey, back }: NewKeyPairProps) {
  return (
    <Card
      title={`${name} created`}
      description="Copy the private key now. It is not stored and will not be shown again."
    >
      <div className="space-y-5">
        <Secret value={privateKey} label="private key" />
        <div>
          <p className="mb-1.5 text-ink-muted text-xs">Save it to a file that only you can read</p>
          <CodeBlock label="command" code="(umask 077; cat > ~/.ssh/nephele)   # paste, then Ctrl+D" />
        </div>
        <ButtonLink href={back} variant="primary">
          Done
        </ButtonLink>
      </div>
    </Card>
  );
}
