'use client';

import { CircleAlert, CircleCheck } from 'lucide-react';
import { PropertyList } from '@/components/kit/data/property-list';
import { Card } from '@/components/kit/ui/card';
import { formatNumber } from '@/lib/format/number';
import { overlapping, readCidr } from './cidr';
import type { Network } from './types';

interface CidrReadingProps {
  cidr: string;
  gateway: string;
  networks: readonly Network[];
}

/** The addresses, the gateway and the overlaps of an IP range, while it is entered. */
export function CidrReading({ cidr, gateway, networks }: CidrReadingProps) {
  const reading = readCidr(cidr, gateway);
  const others = 'problem' in reading ? [] : overlapping(cidr, networks);
  const problem = 'problem' in reading ? reading.problem : undefined;
  return (
    <>
      <Card title="Usable addresses">
        <div aria-live="polite">
          {'problem' in reading ? (
            <p className="flex gap-2 text-pretty text-ink-muted text-sm">
              <CircleAlert className="mt-0.5 size-4 shrink-0 text-caution" aria-hidden="true" />
              {problem}
            </p>
          ) : (
            <>
              <p className="font-semibold text-2xl tabular-nums tracking-[-0.02em]">
                {formatNumber(reading.addresses)}
                <span className="ml-2 font-normal text-ink-muted text-sm tracking-normal">addresses for instances</span>
              </p>
              <div className="mt-3 border-t pt-3">
                <PropertyList
                  items={[
                    ['Instances', <Mono key="ports">{`${reading.first} – ${reading.last}`}</Mono>],
                    ['Gateway', <Mono key="gateway">{reading.gateway}</Mono>],
                    ['Broadcast', <Mono key="broadcast">{reading.broadcast}</Mono>],
                  ]}
                />
              </div>
              {others.length > 0 ? (
                <p className="mt-3 flex gap-2 rounded-md bg-critical-soft p-2.5 text-critical-ink text-sm">
                  <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
                  <span>
                    Overlaps {others.map(({ name, cidr: range }) => `${name} (${range})`).join(', ')}. Networks on the
                    same router must not overlap.
                  </span>
                </p>
              ) : (
                <p className="mt-3 flex gap-2 text-positive-ink text-sm">
                  <CircleCheck className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
                  Does not overlap your other networks.
                </p>
              )}
            </>
          )}
        </div>
      </Card>
      {networks.length > 0 && (
        <Card title="IP ranges in use">
          <ul className="-my-1.5 max-h-64 divide-y overflow-y-auto text-sm">
            {networks.map(({ id, name, cidr: range }) => (
              <li key={id} className="flex items-baseline justify-between gap-3 py-1.5">
                <span className="min-w-0 break-words">{name}</span>
                <Mono>{range}</Mono>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function Mono({ children }: { children: string }) {
  return <span className="font-mono text-xs">{children}</span>;
}
