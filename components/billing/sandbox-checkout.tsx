'use client';

import {
  ArrowLeft,
  CalendarX2,
  CircleCheck,
  CircleX,
  FlaskConical,
  Landmark,
  Lock,
  type LucideIcon,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Wordmark } from '@/components/brand/logo';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { buttonLook } from '@/components/kit/ui/button-look';
import { Radio } from '@/components/kit/ui/choice';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import { formatMoney } from '@/lib/format/money';
import { cardName } from './cards';
import { placeOf } from './hosted-page';

type SandboxPage = components['schemas']['SandboxPage'];
export type TestCard = SandboxPage['cards'][number];

const BankDialog = lazyComponent(() => import('./bank-dialog').then((module) => module.BankDialog));

const deeds: Record<TestCard['does'], { words: string; icon: LucideIcon; ink: string }> = {
  succeeds: { words: 'Succeeds immediately', icon: CircleCheck, ink: 'text-positive-ink' },
  needs_confirmation: { words: 'Requires confirmation by the cardholder', icon: Landmark, ink: 'text-moving-ink' },
  is_declined: { words: 'Is declined', icon: CircleX, ink: 'text-critical-ink' },
  is_declined_later: {
    words: 'Succeeds now; declined when an invoice is charged',
    icon: CalendarX2,
    ink: 'text-caution-ink',
  },
};

/** The page of the sandbox processor: what a real one would show, with test cards in place of card fields. */
export function SandboxCheckout({ id }: { id: string }) {
  const { project, api } = useProject();
  const query = api.useQuery('get', '/api/v1/billing/sandbox/pages/{id}', { params: { path: { id } } });
  const amount = query.data?.amount_usd ?? null;
  const title = amount === null ? 'Save a card' : `Pay ${formatMoney(amount)}`;
  return (
    <div className="flex min-h-dvh flex-col">
      <title>{`${query.data ? title : 'Payment'} · Sandbox · Nephele`}</title>
      <p className="flex items-center justify-center gap-2 border-caution/50 border-b bg-caution-soft px-4 py-2 text-center text-caution-ink text-xs">
        <FlaskConical className="size-3.5 shrink-0" aria-hidden="true" />
        <span>
          <strong className="font-semibold">Sandbox.</strong> This page replaces a payment processor. Use test cards
          only; no money moves.
        </span>
      </p>
      <div className="grid flex-1 lg:grid-cols-2">
        <section aria-label="Payment summary" className="sky border-b lg:border-r lg:border-b-0">
          <div className="mx-auto flex h-full max-w-md flex-col px-5 py-6 sm:py-10 lg:mr-16 lg:ml-auto lg:w-full">
            {query.data ? (
              <a
                href={placeOf(query.data.cancel_url)}
                className="group inline-flex items-center gap-2 self-start rounded-sm text-ink-muted hover:text-ink"
              >
                <ArrowLeft className="size-4 transition-transform group-hover:-translate-x-0.5" aria-hidden="true" />
                <span className="sr-only">Back to </span>
                <Wordmark size={18} />
              </a>
            ) : (
              <Wordmark size={18} />
            )}
            <Loaded query={query} what="This payment page" skeleton={<Skeleton className="mt-10 h-20 w-52" />}>
              {(page) => (
                <div className="mt-8 lg:mt-16">
                  <h1 id="page-title" tabIndex={-1} className="text-base text-ink-muted">
                    {page.amount_usd === null ? 'Save a card for' : 'Prepaid credit for'} {project.name}
                  </h1>
                  <p className="mt-1 font-semibold text-[2.5rem] leading-tight tracking-[-0.03em] tabular-nums">
                    {page.amount_usd === null ? '$0.00' : formatMoney(page.amount_usd)}
                  </p>
                  <p className="mt-4 max-w-sm text-pretty text-ink-muted text-sm">
                    {page.amount_usd === null
                      ? 'Nothing is charged now. Invoices are charged to the project’s default card at the end of a month.'
                      : 'One-time payment. Invoices use the credit first. It lifts a budget freeze immediately.'}
                  </p>
                </div>
              )}
            </Loaded>
          </div>
        </section>
        <main className="bg-surface">
          <div className="mx-auto max-w-md px-5 py-8 sm:py-10 lg:mr-auto lg:ml-16 lg:w-full lg:pt-27">
            {query.data && <Payment page={query.data} />}
          </div>
        </main>
      </div>
    </div>
  );
}

function Payment({ page }: { page: SandboxPage }) {
  const { api } = useProject();
  const complete = api.useMutation('post', '/api/v1/billing/sandbox/pages/{id}/complete');
  const [chosen, setChosen] = useState(page.cards[0]?.token);
  const [asking, setAsking] = useState<TestCard>();
  const [leaving, setLeaving] = useState(false);
  const card = page.cards.find(({ token }) => token === chosen);
  const verb = page.amount_usd === null ? 'Save card' : `Pay ${formatMoney(page.amount_usd)}`;

  const finish = async ({ token }: TestCard, confirmed: boolean) => {
    setAsking(undefined);
    const body = { card: token, confirmed };
    await complete.mutateAsync({ params: { path: { id: page.id } }, body }).then(
      () => {
        setLeaving(true);
        window.location.assign(placeOf(page.success_url));
      },
      // Shown below, where the next try is made.
      () => {},
    );
  };

  if (page.status === 'expired') {
    return (
      <Ended
        icon={<CircleX className="size-5 text-ink-subtle" />}
        title="This payment page has expired"
        back={page.cancel_url}
      >
        Payment pages expire after one hour. Nothing was charged. Go back and start again.
      </Ended>
    );
  }
  if (page.status === 'complete' && !leaving) {
    return (
      <Ended icon={<CircleCheck className="size-5 text-positive" />} title="Done" back={page.success_url}>
        {page.amount_usd === null ? 'The card is saved.' : 'The payment is complete.'}
      </Ended>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!card || complete.isPending || leaving) return;
        if (card.does === 'needs_confirmation') setAsking(card);
        else void finish(card, false);
      }}
    >
      <fieldset>
        <legend className="font-semibold text-lg tracking-[-0.01em]">
          {page.amount_usd === null ? 'Save a test card' : 'Pay with a test card'}
        </legend>
        <div className="mt-3 divide-y overflow-hidden rounded-lg border">
          {page.cards.map((option) => (
            <CardChoice
              key={option.token}
              card={option}
              checked={option.token === chosen}
              onChoose={() => setChosen(option.token)}
            />
          ))}
        </div>
      </fieldset>
      {complete.error !== null && (
        <div className="mt-4">
          <ErrorNotice
            title={page.amount_usd === null ? 'The card could not be saved' : 'The payment failed'}
            error={complete.error}
          />
        </div>
      )}
      <Button type="submit" variant="primary" size="lg" className="mt-5 w-full" pending={complete.isPending || leaving}>
        {verb}
      </Button>
      <p className="mt-4 flex items-start gap-2 text-pretty text-ink-subtle text-xs">
        <Lock className="mt-0.5 size-3 shrink-0" aria-hidden="true" />
        With a real processor, card numbers are entered on its page and never reach Nephele.
      </p>
      {asking && (
        <BankDialog
          card={asking}
          request={page.amount_usd === null ? 'save the card' : `charge ${formatMoney(page.amount_usd)}`}
          answer={(confirmed) => void finish(asking, confirmed)}
        />
      )}
    </form>
  );
}

function CardChoice({ card, checked, onChoose }: { card: TestCard; checked: boolean; onChoose: () => void }) {
  const { words, icon: Icon, ink } = deeds[card.does];
  const other = card.does === 'succeeds' && card.brand !== 'visa';
  return (
    <label
      htmlFor={card.token}
      className="flex cursor-pointer items-center gap-3 px-3.5 py-3 transition-colors duration-100 hover:bg-hover has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:-outline-offset-2"
    >
      <Radio
        id={card.token}
        name="card"
        value={card.token}
        checked={checked}
        onChange={onChoose}
        className="[&_input]:outline-none"
      />
      <span className="min-w-0 flex-1 text-sm">
        <span className="font-medium">{cardName(card)}</span>
        <span className="block text-pretty text-ink-muted text-xs">{other ? 'Succeeds, another brand' : words}</span>
      </span>
      <Icon className={`size-4 shrink-0 ${ink}`} aria-hidden="true" />
    </label>
  );
}

function Ended({ icon, title, back, children }: { icon: ReactNode; title: string; back: string; children: ReactNode }) {
  return (
    <div role="status">
      <h2 className="flex items-center gap-2 font-semibold text-lg tracking-[-0.01em]">
        {icon} {title}
      </h2>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">{children}</p>
      <a href={placeOf(back)} className={buttonLook({ className: 'mt-5' })}>
        Back to Nephele
      </a>
    </div>
  );
}
