'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ArrowDownToLine, ChevronDown, ChevronUp, WrapText } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { setAddress } from '@/components/kit/page/address';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { Tooltip } from '@/components/kit/ui/tooltip';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { LogLine } from './log-line';
import { findLines, lineOf, logLines, plainLine } from './log-lines';

export interface LogViewerProps {
  /** Name of the log: "Boot log". */
  label: string;
  text: string;
  /** More lines may arrive; the view follows them while its end is visible. */
  live?: boolean;
  /** Fills its parent instead of having its own height. */
  fill?: boolean;
}

const LINE_PX = 20;
/** Distance to the end that still counts as the end. */
const END_PX = 24;

/** A log viewer for any length, with search, colours, follow mode, and an address for each line. */
export default function LogViewerView({ label, text, live = false, fill = false }: LogViewerProps) {
  const lines = useMemo(() => logLines(text), [text]);
  const plain = useMemo(() => lines.map(plainLine), [lines]);
  const linked = lineOf(useSearchParams().get('line'), lines.length);
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.trim());
  const found = useMemo(() => findLines(plain, wanted), [plain, wanted]);
  const [match, setMatch] = useState(0);
  const [wrap, setWrap] = useState(false);
  const [following, setFollowing] = useState(live && linked === undefined);
  const box = useRef<HTMLDivElement>(null);

  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const { scrollToIndex } = rows;

  useEffect(() => {
    if (linked !== undefined) scrollToIndex(linked, { align: 'center' });
  }, [linked, scrollToIndex]);
  useEffect(() => {
    if (following && lines.length > 0) scrollToIndex(lines.length - 1, { align: 'end' });
  }, [following, lines.length, scrollToIndex]);

  const current = found.length === 0 ? undefined : found[match % found.length];
  useEffect(() => {
    if (current === undefined) return;
    setFollowing(false);
    scrollToIndex(current, { align: 'center' });
  }, [current, scrollToIndex]);

  const step = (by: number) => setMatch((now) => (now + by + found.length) % Math.max(1, found.length));
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <section
      aria-label={label}
      className={clsx('flex flex-col rounded-md border bg-surface', fill ? 'h-full' : 'h-112')}
    >
      <div className="flex flex-wrap items-center gap-2 border-b px-2 py-1.5">
        <Input
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          value={words}
          onChange={({ target }) => {
            setWords(target.value);
            setMatch(0);
          }}
          onKeyDown={onSearchKey}
          className="min-w-24 max-w-56 flex-1"
        />
        {wanted !== '' && (
          <span role="status" className="text-ink-muted text-xs tabular-nums">
            {found.length === 0
              ? 'No matches'
              : `${formatNumber((match % found.length) + 1)} of ${formatNumber(found.length)}`}
          </span>
        )}
        {found.length > 1 && (
          <>
            <Button size="icon-sm" variant="quiet" aria-label="Previous match" onClick={() => step(-1)}>
              <ChevronUp />
            </Button>
            <Button size="icon-sm" variant="quiet" aria-label="Next match" onClick={() => step(1)}>
              <ChevronDown />
            </Button>
          </>
        )}
        <span className="ml-auto text-ink-subtle text-xs tabular-nums max-sm:hidden">
          {formatCount(lines.length, 'line')}
        </span>
        <Tooltip text="Wrap lines">
          <Button
            size="icon-sm"
            variant="quiet"
            aria-label="Wrap lines"
            aria-pressed={wrap}
            className="aria-pressed:bg-accent-soft"
            onClick={() => setWrap(!wrap)}
          >
            <WrapText />
          </Button>
        </Tooltip>
        <Button
          size="sm"
          aria-pressed={following}
          className="aria-pressed:bg-accent-soft"
          onClick={() => setFollowing(!following)}
        >
          <ArrowDownToLine /> Follow
        </Button>
      </div>
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label={`${label}, ${formatCount(lines.length, 'line')}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const atEnd = scrollHeight - scrollTop - clientHeight < END_PX;
          if (atEnd !== following && (live || !atEnd)) setFollowing(atEnd);
        }}
        className="min-h-0 flex-1 overflow-auto rounded-b-md bg-sunken font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      >
        {lines.length === 0 && <p className="px-4 py-10 text-center font-sans text-ink-muted text-sm">No output yet</p>}
        <div className="relative min-w-full" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              ref={wrap ? rows.measureElement : undefined}
              data-index={index}
              className={clsx(
                'absolute left-0 flex min-w-full',
                wrap ? 'w-full' : 'w-max',
                index === linked && 'bg-accent-soft',
                index === current && index !== linked && 'bg-hover',
              )}
              style={{ transform: `translateY(${start}px)`, minHeight: LINE_PX }}
            >
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Link to line ${index + 1}`}
                onClick={() => setAddress({ line: index === linked ? undefined : String(index + 1) })}
                className="sticky left-0 w-16 shrink-0 select-none border-r bg-sunken pr-3 text-right text-ink-subtle tabular-nums hover:text-accent"
              >
                {index + 1}
              </button>
              <LogLine line={lines[index] ?? ''} words={wanted} wrap={wrap} />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
