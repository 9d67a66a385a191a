'use client';

import { useProject } from '@/lib/client/project';
import { isAddress } from './cidr';

/** From where this browser reaches the platform, as a range of one; or why that can't stand in a rule. */
export function useOwnAddress(): { cidr: string } | { reason: string } {
  const { api } = useProject();
  const sessions = api.useQuery('get', '/api/v1/auth/sessions');
  const seen = sessions.data?.find(({ current }) => current)?.address.replace(/^::ffff:/, '');
  if (seen === undefined) return { reason: 'Your address could not be determined.' };
  if (!isAddress(seen)) return { reason: `Your address is ${seen}; rules support IPv4 only.` };
  if (seen.startsWith('127.')) return { reason: 'You are on the platform’s host. Instances see a different address.' };
  return { cidr: `${seen}/32` };
}
