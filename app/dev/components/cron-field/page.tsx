'use client';

import { useState } from 'react';
import { CronField } from '@/components/kit/cron/cron-field';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';

export default function CronFieldPage() {
  const [schedule, setSchedule] = useState('0 3 * * *');
  const [broken, setBroken] = useState('61 * * * *');
  return (
    <PiecePage name="cron-field">
      <Card>
        <CronField label="Schedule" value={schedule} onChange={setSchedule} />
      </Card>
      <Card title="Invalid">
        <CronField label="Invalid schedule" value={broken} onChange={setBroken} />
      </Card>
    </PiecePage>
  );
}
