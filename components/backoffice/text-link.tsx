import Link from 'next/link';
import type { ComponentProps } from 'react';

/** A link inside of text and tables. */
export function TextLink(props: ComponentProps<typeof Link>) {
  return (
    <Link
      className="rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
      {...props}
    />
  );
}
