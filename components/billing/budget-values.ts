import * as z from 'zod/mini';
import type { components } from '@/lib/client/schema';
import { formatMoney } from '@/lib/format/money';

export type Budget = components['schemas']['Budget'];
export type SetBudget = components['schemas']['SetBudget'];

const MOST = 100_000_000;
const lines = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `50, 80, 90` → `[50, 80, 90]`; undefined where it is no list of percents. */
export function percentsOf(text: string): number[] | undefined {
  const words = lines(text.replaceAll('%', ' '));
  const percents = words.map(Number);
  const sound = words.every((word) => /^\d{1,3}$/.test(word)) && percents.every((one) => one >= 1 && one <= 100);
  return sound ? [...new Set(percents)].sort((one, other) => one - other) : undefined;
}

/** A limit as it is typed; null: none, undefined: no amount. */
export function limitOf(text: string): number | null | undefined {
  const typed = text.trim().replaceAll(',', '');
  if (typed === '') return null;
  const amount = Number(typed);
  return /^\d+(\.\d{1,6})?$/.test(typed) && amount >= 0.01 && amount <= MOST ? amount : undefined;
}

export const budgetSchema = z
  .object({
    monthly_limit_usd: z
      .string()
      .check(
        z.refine(
          (text) => limitOf(text) !== undefined,
          'Enter an amount in USD, such as 250 or 0.05, or leave empty for no budget.',
        ),
      ),
    thresholds: z.string().check(
      z.refine((text) => percentsOf(text) !== undefined, 'Enter whole percentages from 1 to 100, such as 50, 80, 90.'),
      z.refine((text) => (percentsOf(text)?.length ?? 0) <= 20, 'Up to 20.'),
    ),
    enable_quota_freeze: z.boolean(),
    notify_emails: z.string().check(
      z.refine(
        (text) => lines(text).every((one) => z.email().safeParse(one).success),
        'Enter one e-mail address per line.',
      ),
      z.refine((text) => lines(text).length <= 20, 'Up to 20 addresses.'),
    ),
    webhook_url: z.string().check(
      z.trim(),
      z.refine((text) => text === '' || URL.canParse(text), 'Enter a URL such as https://hooks.example.com/budget.'),
    ),
  })
  .check(
    z.refine(
      ({ enable_quota_freeze, monthly_limit_usd }) => !enable_quota_freeze || limitOf(monthly_limit_usd) !== null,
      {
        path: ['enable_quota_freeze'],
        error: 'A freeze needs a monthly limit.',
      },
    ),
  );
export type BudgetInputs = z.infer<typeof budgetSchema>;

/** A budget, for the form. */
export function inputsOf(budget: Budget): BudgetInputs {
  return {
    monthly_limit_usd: budget.monthly_limit_usd === null ? '' : String(budget.monthly_limit_usd),
    thresholds: budget.thresholds.join(', '),
    enable_quota_freeze: budget.enable_quota_freeze,
    notify_emails: budget.notify_emails.join('\n'),
    webhook_url: budget.webhook_url ?? '',
  };
}

/** The form's values, as the API takes them. */
export function budgetOf(inputs: BudgetInputs): SetBudget {
  return {
    monthly_limit_usd: limitOf(inputs.monthly_limit_usd) ?? null,
    thresholds: percentsOf(inputs.thresholds) ?? [],
    enable_quota_freeze: inputs.enable_quota_freeze,
    notify_emails: lines(inputs.notify_emails),
    webhook_url: inputs.webhook_url.trim() || null,
  };
}

/** What of a budget someone may change, in words: its name, and its value. */
function facts(budget: Budget): [name: string, value: string][] {
  return [
    ['Monthly limit', budget.monthly_limit_usd === null ? 'none' : formatMoney(budget.monthly_limit_usd)],
    ['Alerts at', budget.thresholds.map((percent) => `${percent}%`).join(', ') || '100% only'],
    ['Freeze', budget.enable_quota_freeze ? 'on' : 'off'],
    ['E-mail', budget.notify_emails.join(', ') || 'none'],
    ['Webhook', budget.webhook_url ?? 'none'],
  ];
}

/** What differs between two versions. */
export function differences(before: Budget, now: Budget): { name: string; before: string; now: string }[] {
  const present = new Map(facts(now));
  return facts(before).flatMap(([name, value]) => {
    const other = present.get(name);
    return other === undefined || other === value ? [] : [{ name, before: value, now: other }];
  });
}
