'use client';

import { CodeBlock } from '@/components/kit/data/code-block';
import { Secret } from '@/components/kit/data/secret';
import { ButtonLink } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';

interface NewTokenProps {
  name: string;
  token: string;
  /** The list of tokens. */
  back: string;
}

/** A token right after it was made: the only time that it can be read. */
export function NewToken({ name, token, back }: NewTokenProps) {
  return (
    <Card title={`${name} created`} description="Copy the token now. It will not be shown again.">
      <div className="space-y-5">
        <Secret value={token} label="API token" />
        <div>
          <p className="mb-1.5 text-ink-muted text-xs">Try it with the token in $NEPHELE_TOKEN</p>
          <CodeBlock
            label="command"
            code={`curl -H "Authorization: Bearer $NEPHELE_TOKEN" \\\n  ${window.location.origin}/api/v1/tenant/quota`}
          />
        </div>
        <ButtonLink href={back} variant="primary">
          Done
        </ButtonLink>
      </div>
    </Card>
  );
}
