import { domains } from '@/lib/platform/domains';
import { endpointsOf } from '@/lib/platform/endpoints';
import { tagsOf } from '@/lib/platform/tags';
import { toys } from './domain';

/** The platform's domains plus toys, like `lib/platform/domains.ts` for a real domain. */
export const domainsWithToys = [...domains, toys] as const;

export const endpoints = endpointsOf(domainsWithToys);
export const tags = tagsOf(domainsWithToys);
