import { contains } from '@/lib/core/api/list';

/** A condition for `search=`: a part of the name, slug or id of the project `p`. */
export const tenantMatches = contains('p.name', 'p.slug', 'p.id::text');
