import { clsx } from 'clsx';
import { Fragment } from 'react';

/** The path of an endpoint; a long one goes on below after a slash, not within a word. */
export function Path({ of, className }: { of: string; className?: string }) {
  let at = 0;
  return (
    <code className={clsx('min-w-0 font-mono', className)}>
      {of.split(/(?<=\/)/).map((part) => {
        at += part.length;
        return (
          <Fragment key={at}>
            {part}
            <wbr />
          </Fragment>
        );
      })}
    </code>
  );
}
