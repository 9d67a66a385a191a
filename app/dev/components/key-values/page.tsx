'use client';

import { useState } from 'react';
import { KeyValueEditor } from '@/components/kit/pairs/key-value-editor';
import type { Pair } from '@/components/kit/pairs/pairs';
import { TagEditor } from '@/components/kit/pairs/tag-editor';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';

export default function KeyValuesPage() {
  const [pairs, setPairs] = useState<Pair[]>([
    { key: 'DATABASE_URL', value: 'postgresql://orders-db.internal:5432/orders' },
    { key: 'LOG_LEVEL', value: 'info' },
    { key: 'LOG_LEVEL', value: 'debug' },
  ]);
  const [tags, setTags] = useState<readonly string[]>(['production', 'web', 'eu']);
  return (
    <PiecePage name="key-values">
      <Card>
        <KeyValueEditor label="Environment variables" one="variable" pairs={pairs} onChange={setPairs} />
      </Card>
      <Card>
        <TagEditor label="Tags" tags={tags} onChange={setTags} />
      </Card>
    </PiecePage>
  );
}
