'use client';

import { CardsField, TextField } from '@/components/kit/form/fields';
import { ListenerCards } from './listener-cards';
import type { LoadBalancerForm } from './load-balancer-form';

const types = [
  { value: 'http', label: 'HTTP', description: 'The member answers a request with an expected status code.' },
  { value: 'tcp', label: 'TCP', description: 'The member accepts a connection.' },
  { value: 'none', label: 'None', description: 'Failed members keep getting traffic.' },
];

/** The health check of each pool. */
export function HealthCheckStep({ form }: { form: LoadBalancerForm }) {
  const { control } = form;
  return (
    <ListenerCards form={form}>
      {(position, { check: { type } }) => {
        const number = (field: 'interval_s' | 'timeout_s' | 'retries', label: string, unit?: string) => (
          <TextField
            control={control}
            name={`listeners.${position}.check.${field}`}
            label={label}
            inputMode="numeric"
            autoComplete="off"
            {...(unit && { unit })}
          />
        );
        return (
          <>
            <CardsField
              control={control}
              name={`listeners.${position}.check.type`}
              label="Health check"
              options={types}
            />
            {type === 'http' && (
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                  control={control}
                  name={`listeners.${position}.check.path`}
                  label="Path"
                  autoComplete="off"
                  mono
                />
                <TextField
                  control={control}
                  name={`listeners.${position}.check.expected_status`}
                  label="Expected status codes"
                  autoComplete="off"
                  mono
                />
              </div>
            )}
            {type !== 'none' && (
              <div className="grid gap-4 sm:grid-cols-3">
                {number('interval_s', 'Interval', 's')}
                {number('timeout_s', 'Timeout', 's')}
                {number('retries', 'Retries')}
              </div>
            )}
          </>
        );
      }}
    </ListenerCards>
  );
}
