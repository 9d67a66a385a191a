'use client';

import { createContext, type ReactNode, use } from 'react';
import { formatMoney } from '@/lib/format/money';
import { useHydrated } from './hydrated';
import { useProject } from './project';
import type { components } from './schema';
import { untilBudgetTurns } from './turns';

type Budget = components['schemas']['Budget'];

/**
 * The project's budget and its status, in one request shared by the banner and all pages. Refetched on hints and at the
 * known times of its automatic changes.
 */
export function useBudget(): { data: Budget | undefined } {
  const { api } = useProject();
  const hydrated = useHydrated();
  const { data } = api.useQuery('get', '/api/v1/billing/budget', undefined, {
    refetchInterval: ({ state: { data } }) => (data ? untilBudgetTurns(data, Date.now()) : false),
  });
  return { data: hydrated ? data : undefined };
}

const FreezeContext = createContext<string | undefined>(undefined);

/** Tells the pages below it whether their project's budget is frozen. */
export function FreezeScope({ children }: { children: ReactNode }) {
  const { data } = useBudget();
  const reason = data?.status.frozen ? `${usedUp(data)} ${WHO_LIFTS_IT}` : undefined;
  return <FreezeContext value={reason}>{children}</FreezeContext>;
}

/** Why nothing can be created or enlarged (spec 3.1); undefined if it can. */
export function useFreeze(): string | undefined {
  return use(FreezeContext);
}

/** "The budget is used up: $250.02 of $250.00 spent this month." */
export function usedUp({ monthly_limit_usd, status }: Budget): string {
  const credited = status.lift_usd > 0 ? ` plus ${formatMoney(status.lift_usd)} of credit` : '';
  return `The budget is used up: ${formatMoney(status.month_to_date_usd)} of ${formatMoney(monthly_limit_usd ?? 0)}${credited} spent this month.`;
}

const WHO_LIFTS_IT = 'A project admin can raise the budget or add credit, with immediate effect.';
