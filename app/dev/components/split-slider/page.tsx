'use client';

import { useState } from 'react';
import { SplitSlider } from '@/components/kit/shares/split-slider';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';

const versions = [
  { name: '7', label: 'Version 7' },
  { name: '8', label: 'Version 8' },
  { name: '9', label: 'Version 9 (canary)' },
];

export default function SplitSliderPage() {
  const [shares, setShares] = useState([70, 25, 5]);
  return (
    <PiecePage name="split-slider">
      <Card>
        <SplitSlider label="Traffic" parts={versions} shares={shares} onChange={setShares} />
      </Card>
      <Card title="One part">
        <SplitSlider label="Traffic of one version" parts={versions.slice(0, 1)} shares={[100]} onChange={() => {}} />
      </Card>
    </PiecePage>
  );
}
