'use client';

import { CodeDiff } from '@/components/kit/code/code-diff';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';
import { changedHandler, samples } from '../sample-code';

export default function CodeDiffPage() {
  return (
    <PiecePage name="code-diff">
      <Card title="Version 3 and version 4" description="Side by side on wide screens, in one column on others.">
        <CodeDiff label="handler.ts" language="typescript" before={samples['handler.ts']} after={changedHandler} />
      </Card>
      <Card title="No changes">
        <CodeDiff label="policy.json" language="json" before={samples['policy.json']} after={samples['policy.json']} />
      </Card>
    </PiecePage>
  );
}
