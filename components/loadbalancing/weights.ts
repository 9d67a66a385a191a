import * as z from 'zod/mini';
import { formatNumber } from '@/lib/format/number';

/** The API’s maximum. */
export const MOST_WEIGHT = 256;

/** A whole number as typed text. */
export function numberFrom(minimum: number, maximum: number) {
  const message = `A whole number from ${formatNumber(minimum)} to ${formatNumber(maximum)}.`;
  return z.string().check(
    z.trim(),
    z.refine((typed) => /^\d+$/.test(typed) && Number(typed) >= minimum && Number(typed) <= maximum, message),
  );
}

interface Weighted {
  weight: number;
  backup: boolean;
}

/** The share of new connections that each member gets, in words: "33%". Backup members get none before all others fail. */
export function sharesOf(members: readonly Weighted[]): string[] {
  const sum = members.reduce((total, { weight, backup }) => (backup ? total : total + weight), 0);
  return members.map(({ weight, backup }) => {
    if (backup) return 'backup';
    return `${formatNumber(sum === 0 ? 0 : Math.round((weight / sum) * 100))}%`;
  });
}
