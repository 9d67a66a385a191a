import type { ReactNode } from 'react';
import { TextLink } from '@/components/backoffice/text-link';
import { adminPaths } from '@/lib/paths';

interface TenantCellProps {
  id: string;
  name: string;
  /** On a phone, which has no columns of their own for it. */
  children?: ReactNode;
}

/** The tenant of a row: a long name breaks on a phone, so that the amounts beside it stay in sight. */
export function TenantCell({ id, name, children }: TenantCellProps) {
  return (
    <>
      <span className="line-clamp-2 break-words max-sm:w-24 max-sm:whitespace-normal">
        <TextLink href={adminPaths.tenant(id)}>{name}</TextLink>
      </span>
      {children && <span className="block text-ink-muted text-xs sm:hidden">{children}</span>}
    </>
  );
}
