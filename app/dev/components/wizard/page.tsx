'use client';

import { useState } from 'react';
import { PropertyList } from '@/components/kit/data/property-list';
import { Card } from '@/components/kit/ui/card';
import { Radio } from '@/components/kit/ui/choice';
import { notify } from '@/components/kit/ui/notify';
import { Wizard } from '@/components/kit/wizard/wizard';
import { PiecePage } from '../piece-page';

const targets = ['PostgreSQL 17', 'PostgreSQL 18'];

export default function WizardPage() {
  const [target, setTarget] = useState<string>();
  const missing = target === undefined ? 'Choose a version.' : undefined;
  return (
    <PiecePage name="wizard">
      <Card>
        <Wizard
          label="Upgrade steps"
          steps={[
            { name: 'choose', label: 'Choose a version', missing },
            { name: 'check', label: 'Check compatibility' },
            { name: 'review', label: 'Review' },
            { name: 'run', label: 'Run the upgrade' },
          ]}
          finishLabel="Run upgrade"
          onFinish={() => void notify('success', 'Upgrade started')}
        >
          {(step) => {
            switch (step) {
              case 'choose':
                return (
                  <fieldset className="space-y-2">
                    <legend className="sr-only">Version</legend>
                    {targets.map((name) => (
                      // biome-ignore lint/a11y/noLabelWithoutControl: Radio renders an input, which the rule can't see
                      <label key={name} className="flex items-center gap-2.5 text-sm">
                        <Radio name="version" checked={target === name} onChange={() => setTarget(name)} />
                        {name}
                      </label>
                    ))}
                  </fieldset>
                );
              case 'check':
                return <p className="text-ink-muted text-sm">All 4 extensions are available in {target}.</p>;
              default:
                return (
                  <PropertyList
                    items={[
                      ['Cluster', 'orders-db'],
                      ['Current version', 'PostgreSQL 16'],
                      ['New version', target],
                      ['Downtime', 'About 30 s'],
                    ]}
                  />
                );
            }
          }}
        </Wizard>
      </Card>
    </PiecePage>
  );
}
