'use client';

import { type ReactElement, useEffect, useRef } from 'react';
import { untilLoaded } from '@/lib/client/until-loaded';
import { Slot } from './slot';

interface TooltipProps {
  /** What it says; a line break makes a second line. Nothing to say, nothing shown. */
  text: string | undefined;
  children: ReactElement<Record<string, unknown>>;
}

/** More about one element, on hover and on focus. Never the only place of something that must be known. */
export function Tooltip({ text, children }: TooltipProps) {
  return text ? <Slot data-tooltip={text}>{children}</Slot> : children;
}

/** The one tooltip of a page: a table of a hundred rows would be heavy with hundreds. It follows `data-tooltip`. */
export function TooltipHost() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let stop: (() => void) | undefined = () => {};
    void untilLoaded(() => import('./follow-tooltips')).then(({ followTooltips }) => {
      if (stop && host.current) stop = followTooltips(host.current);
    });
    return () => {
      stop?.();
      stop = undefined;
    };
  }, []);
  return (
    <div
      ref={host}
      popover="manual"
      role="tooltip"
      className="dark-island fixed m-0 max-w-72 whitespace-pre-line rounded-md border bg-raised px-2 py-1 text-ink text-xs tabular-nums shadow-raised"
    />
  );
}
