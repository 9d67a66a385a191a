import type { Tone } from '@/components/kit/ui/badge';
import type { components } from '@/lib/client/schema';

type Kind = components['schemas']['CreditEntry']['kind'];

/** What moves credit, in words. */
export const creditKindLook: Record<Kind, { label: string; tone: Tone }> = {
  top_up: { label: 'Top-up', tone: 'positive' },
  grant: { label: 'Grant', tone: 'positive' },
  invoice: { label: 'Invoice', tone: 'neutral' },
  refund: { label: 'Refund', tone: 'neutral' },
  withdrawal: { label: 'Withdrawn', tone: 'neutral' },
};
