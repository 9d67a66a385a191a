'use client';

import { CircleCheck, CircleX, Clock, type LucideIcon, X } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { Money } from '@/components/kit/data/amounts';
import { Button } from '@/components/kit/ui/button';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';

type Session = components['schemas']['CheckoutSession'];

/**
 * What became of the processor's page that the reader comes from. The browser's coming back proves nothing: the platform
 * says what the processor has said, and this changes by itself when it does.
 */
export function CheckoutOutcome() {
  const back = useSearchParams().get('checkout');
  if (back === null) return null;
  return back === 'cancelled' ? (
    <Notice icon={CircleX} tone="neutral" title="Payment cancelled">
      You left the payment page. Nothing was charged or saved.
    </Notice>
  ) : (
    <SessionOutcome id={back} />
  );
}

function SessionOutcome({ id }: { id: string }) {
  const { api } = useProject();
  const { data } = api.useQuery('get', '/api/v1/billing/checkout-sessions/{id}', { params: { path: { id } } });
  if (!data) return null;
  const { title, ...notice } = words(data);
  return (
    <Notice {...notice} title={title}>
      {notice.children}
    </Notice>
  );
}

interface NoticeProps {
  icon: LucideIcon;
  tone: 'positive' | 'neutral';
  title: ReactNode;
  children: ReactNode;
}

function words({ kind, status, amount_usd }: Session): NoticeProps {
  if (status === 'complete') {
    return kind === 'card'
      ? { icon: CircleCheck, tone: 'positive', title: 'Card saved', children: 'Invoices can be charged to it.' }
      : {
          icon: CircleCheck,
          tone: 'positive',
          title: (
            <>
              <Money usd={amount_usd ?? 0} /> of credit added
            </>
          ),
          children: 'It is available now. It lifts a budget freeze, and invoices use it first.',
        };
  }
  if (status === 'expired') {
    const children = 'The payment page was closed before the payment was complete. Nothing was charged.';
    return { icon: CircleX, tone: 'neutral', title: 'Payment not completed', children };
  }
  return {
    icon: Clock,
    tone: 'neutral',
    title: kind === 'card' ? 'Confirming the card' : 'Confirming the payment',
    children: 'This page updates when the payment processor confirms it. Some banks take a few minutes.',
  };
}

function Notice({ icon: Icon, tone, title, children }: NoticeProps) {
  const good = tone === 'positive';
  return (
    <div
      role="status"
      className={
        good
          ? 'mb-5 flex items-start gap-3 rounded-lg border border-positive/40 bg-positive-soft p-4 text-sm'
          : 'mb-5 flex items-start gap-3 rounded-lg border bg-surface p-4 text-sm'
      }
    >
      <Icon className={`mt-0.5 size-4 shrink-0 ${good ? 'text-positive-ink' : 'text-ink-subtle'}`} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        <p className="mt-0.5 text-pretty text-ink-muted">{children}</p>
      </div>
      <Button variant="quiet" size="icon-sm" aria-label="Dismiss" className="-mt-1 -mr-1" onClick={forget}>
        <X />
      </Button>
    </div>
  );
}

/** Takes the page that was come from out of the address. */
function forget(): void {
  const next = new URLSearchParams(window.location.search);
  next.delete('checkout');
  const { pathname } = window.location;
  window.history.replaceState(null, '', next.size > 0 ? `${pathname}?${next}` : pathname);
}
