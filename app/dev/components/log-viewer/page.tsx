'use client';

import { useState } from 'react';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';
import { sampleLog } from '../sample-log';

const LINES = 100_000;
const log = sampleLog(0, LINES);

export default function LogViewerPage() {
  const [live, setLive] = useState(() => sampleLog(0, 12));
  const more = () => setLive((text) => text + sampleLog(text.split('\n').length - 1, 5));
  return (
    <PiecePage name="log-viewer">
      <Card title="100,000 lines" flush>
        <div className="p-4">
          <LogViewer label="Request log" text={log} />
        </div>
      </Card>
      <Card title="Live" actions={<Button onClick={more}>Add lines</Button>}>
        <LogViewer label="Run log" text={live} live />
      </Card>
      <Card title="Empty">
        <LogViewer label="Boot log" text="" />
      </Card>
    </PiecePage>
  );
}
