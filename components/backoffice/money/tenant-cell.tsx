import { TextLink } from '@/components/backoffice/text-link';
import { adminPaths } from '@/lib/paths';

/** The tenant of a row: a long name breaks, so that the amounts beside it stay in sight. */
export function TenantCell({ id, name }: { id: string; name: string }) {
  return (
    <span className="line-clamp-2 break-words">
      <TextLink href={adminPaths.tenant(id)}>{name}</TextLink>
    </span>
  );
}
