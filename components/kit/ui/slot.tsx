import { clsx } from 'clsx';
import { cloneElement, type HTMLAttributes, type ReactElement } from 'react';

type Props = Record<string, unknown>;

interface SlotProps extends HTMLAttributes<HTMLElement> {
  children: ReactElement<Props>;
  [data: `data-${string}`]: string | undefined;
}

/**
 * Gives its own attributes, classes and handlers to its one child. Radix has the same, but with it comes all of Radix,
 * which a page loads only when something opens.
 */
export function Slot({ children, ...given }: SlotProps) {
  const own = children.props;
  const merged: Props = { ...given, ...own };
  for (const [name, mine] of Object.entries(given)) {
    const theirs = own[name];
    if (typeof mine === 'function' && typeof theirs === 'function') {
      merged[name] = (...args: unknown[]) => {
        theirs(...args);
        mine(...args);
      };
    }
  }
  if (given.className) merged.className = clsx(String(given.className), String(own.className ?? ''));
  return cloneElement(children, merged);
}
