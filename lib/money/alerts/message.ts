import { JsonNumber, writeJson } from '@/lib/core/api/json';
import { formatSpend } from '@/lib/format/money';
import { type Month, monthOf } from '@/lib/money/rating/month';
import { platformPaths } from '@/lib/platform-paths';
import { settings } from '@/lib/settings';

/** The content of an alert. Amounts are decimal text. */
export type AlertFacts = {
  id: string;
  month: string;
  threshold: number;
  limit_usd: string;
  spend_usd: string;
  frozen: boolean;
  crossed_at: Date;
};

/** A message, built only from stored data, so that every attempt is identical. */
export type Notice = {
  created_at: Date;
  project: { id: string; name: string; slug: string };
  /** null: a test message. */
  alert: AlertFacts | null;
};

/** The webhook's body: an event in the form of Standard Webhooks. */
export function webhookBody({ created_at, project, alert }: Notice): string {
  const whose = { project_id: project.id, project_name: project.name };
  if (!alert) return writeJson({ type: 'budget.test', timestamp: created_at.toISOString(), data: whose });
  return writeJson({
    type: 'budget.threshold_reached',
    timestamp: alert.crossed_at.toISOString(),
    data: {
      ...whose,
      alert_id: alert.id,
      month: alert.month,
      threshold_percent: alert.threshold,
      limit_usd: JsonNumber.money(alert.limit_usd),
      spend_usd: JsonNumber.money(alert.spend_usd),
      frozen: alert.frozen,
      crossed_at: alert.crossed_at.toISOString(),
    },
  });
}

/** Collapses white space, so that a name cannot break a header or a line. */
const line = (text: string) => text.replace(/\s+/g, ' ');

/** Subject and text of the mail. */
export function mailText({ created_at, project, alert }: Notice): { subject: string; text: string } {
  const { baseUrl, seller } = settings();
  const name = line(project.name);
  const link = `${baseUrl}${platformPaths.budget(project.slug)}`;
  if (!alert) {
    return {
      subject: `${name}: test of budget alerts`,
      text: `This is a test of the budget alerts of project ${name}. Its budget has not changed.\n\nBudget: ${link}\n\n${line(seller.name)}\n`,
    };
  }
  const { threshold, month, limit_usd, spend_usd, crossed_at } = alert;
  return {
    subject: `${name}: ${threshold}% of the budget for ${month} used`,
    text: `${[
      `Project ${name} has spent ${formatSpend(spend_usd)} of its ${formatSpend(limit_usd)} budget for ${month}.`,
      `The ${threshold}% threshold was reached at ${crossed_at.toISOString().replace('T', ' ').slice(0, 19)} UTC.`,
      consequence(alert, monthOf(created_at)),
      `Budget: ${link}`,
      line(seller.name),
    ].join('\n\n')}\n`,
  };
}

function consequence({ threshold, frozen, month }: AlertFacts, present: Month): string {
  if (month < present) return 'That month has ended; its budget no longer has any effect.';
  if (frozen) {
    return (
      'The project is frozen: until the month ends, resources cannot be created or enlarged. Running resources keep ' +
      'running. To lift the freeze now, raise the budget or add credit.'
    );
  }
  return threshold === 100
    ? 'Nothing was stopped: this budget sends alerts but does not freeze the project.'
    : 'Nothing was stopped. Each threshold sends one alert a month, and another if the limit is raised.';
}
