import type { ReactNode } from 'react';
import { ReferenceShell } from '@/components/reference/reference-shell';
import { groups } from '@/lib/client/reference';

/** The API reference stands apart from the portal: it is read without a sign-in. */
export default function ReferenceLayout({ children }: { children: ReactNode }) {
  const index = groups.map(({ slug, name, operations }) => ({
    slug,
    name,
    operations: operations.map(({ id, method, path, summary }) => ({ id, method, path, summary })),
  }));
  return <ReferenceShell index={index}>{children}</ReferenceShell>;
}
