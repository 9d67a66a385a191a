'use client';

import { useState } from 'react';
import { YamlEditor } from '@/components/kit/code/yaml-editor';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';
import { brokenCloudInit, cloudInit } from '../sample-code';

export default function YamlEditorPage() {
  const [valid, setValid] = useState(cloudInit);
  const [broken, setBroken] = useState(brokenCloudInit);
  return (
    <PiecePage name="yaml-editor">
      <Card title="Cloud-init">
        <YamlEditor label="Cloud-init" value={valid} onChange={setValid} />
      </Card>
      <Card title="With problems">
        <YamlEditor label="Broken cloud-init" value={broken} onChange={setBroken} />
      </Card>
    </PiecePage>
  );
}
