'use client';

import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import { ListenerCards } from './listener-cards';
import type { LoadBalancerForm } from './load-balancer-form';
import { algorithmOptions } from './types';

const stickyOptions = {
  none: { value: 'none', label: 'None', description: 'Each connection may reach another member' },
  cookie: { value: 'cookie', label: 'Cookie', description: 'The same browser reaches the same member' },
  source_ip: { value: 'source_ip', label: 'Source IP', description: 'The same IP address reaches the same member' },
};

/** The algorithm and the sticky sessions of each pool. */
export function PoolsStep({ form }: { form: LoadBalancerForm }) {
  const { control } = form;
  return (
    <ListenerCards form={form}>
      {(position, { protocol, pool }) => {
        const withCookie = protocol !== 'TCP' || pool.sticky === 'cookie';
        return (
          <>
            <TextField
              control={control}
              name={`listeners.${position}.pool.name`}
              label="Pool name"
              autoComplete="off"
            />
            <CardsField
              control={control}
              name={`listeners.${position}.pool.algorithm`}
              label="Algorithm"
              options={algorithmOptions}
            />
            <SelectField
              control={control}
              name={`listeners.${position}.pool.sticky`}
              label="Sticky sessions"
              options={[stickyOptions.none, ...(withCookie ? [stickyOptions.cookie] : []), stickyOptions.source_ip]}
            />
          </>
        );
      }}
    </ListenerCards>
  );
}
