import Link from 'next/link';
import type { ReactNode } from 'react';

/** The name of a thing in a table or a list of properties, leading to its page. */
export function TextLink({ href, strong = false, children }: { href: string; strong?: boolean; children: ReactNode }) {
  return (
    <Link href={href} className={strong ? 'break-words font-medium hover:underline' : 'break-words hover:underline'}>
      {children}
    </Link>
  );
}
