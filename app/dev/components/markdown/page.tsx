'use client';

import { useEffect, useState } from 'react';
import { MarkdownText } from '@/components/kit/markdown/markdown-text';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';
import { hostileAnswer, sampleAnswer } from '../sample-answer';

const TICK_MS = 30;
const LETTERS = 6;

export default function MarkdownPage() {
  const [end, setEnd] = useState(sampleAnswer.length);
  const streaming = end < sampleAnswer.length;
  useEffect(() => {
    if (!streaming) return;
    const timer = setTimeout(() => setEnd(end + LETTERS), TICK_MS);
    return () => clearTimeout(timer);
  }, [end, streaming]);
  return (
    <PiecePage name="markdown">
      <Card
        title="Answer of a model"
        actions={
          <Button onClick={() => setEnd(0)} pending={streaming}>
            Stream again
          </Button>
        }
      >
        <MarkdownText text={sampleAnswer.slice(0, end)} streaming={streaming} />
      </Card>
      <Card title="Hostile text" description="No HTML, no scripts in links, no images of other servers.">
        <MarkdownText text={hostileAnswer} />
      </Card>
    </PiecePage>
  );
}
