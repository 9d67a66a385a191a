'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { LogLine } from '@/components/kit/logs/log-line';
import { formatCount } from '@/lib/format/quantity';
import { LogDetails, type LogDetailsProps } from './log-details';
import { type Level, type LogRecord, levelOf } from './log-records';

interface LogTableProps extends Pick<LogDetailsProps, 'query' | 'onFilter' | 'onContext'> {
  /** Name of the table: "Log lines". */
  label: string;
  records: readonly LogRecord[];
  /** Marked in the lines. */
  words?: string;
  wrap?: boolean;
  /** Names the resource of each line. */
  resources?: boolean;
  /** Keeps the last line visible; called with false when someone scrolls away from it. */
  follow?: boolean;
  onFollow?: (follow: boolean) => void;
  /** The key of a record that stands out; the table begins there. */
  marked?: string | undefined;
  /** Called when the last line becomes visible. */
  onEnd?: (() => void) | undefined;
  className?: string;
}

const LINE_PX = 24;
/** Distance to the end that still counts as the end. */
const END_PX = 24;

/** Lines of logs with time and level. Each opens to its labels and fields. Arrow keys move between lines. */
export function LogTable(props: LogTableProps) {
  const { label, records, words = '', wrap = false, resources = false, marked, className } = props;
  const { follow = false, onFollow, onEnd, query, onFilter, onContext } = props;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const focusOn = useRef<number>(undefined);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => records[index]?.key ?? index,
    overscan: 12,
  });
  const { scrollToIndex } = rows;
  const mark = records.findIndex(({ key }) => key === marked);
  useEffect(() => {
    if (mark < 0) return;
    scrollToIndex(mark, { align: 'center' });
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [mark, scrollToIndex]);
  useEffect(() => {
    if (follow && records.length > 0) scrollToIndex(records.length - 1, { align: 'end' });
  }, [follow, records.length, scrollToIndex]);

  const items = rows.getVirtualItems();
  const atEnd = (items.at(-1)?.index ?? -1) >= records.length - 1;
  useEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, onEnd]);

  const toggle = (key: string) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  const move = (event: KeyboardEvent) => {
    const goals: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: records.length - 1,
    };
    const goal = goals[event.key];
    const onLine = event.target instanceof Element && event.target.hasAttribute('data-line');
    if (goal === undefined || !onLine) return;
    event.preventDefault();
    const next = Math.min(records.length - 1, Math.max(0, goal));
    setActive(next);
    focusOn.current = next;
    scrollToIndex(next);
  };
  return (
    <div
      ref={box}
      role="log"
      aria-live="off"
      aria-label={`${label}, ${formatCount(records.length, 'line')}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onKeyDown={move}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        const end = scrollHeight - scrollTop - clientHeight < END_PX;
        if (onFollow && end !== follow) onFollow(end);
      }}
      className={clsx(
        'overflow-auto rounded-md border bg-sunken font-mono text-xs leading-5 focus-visible:-outline-offset-2',
        className,
      )}
    >
      <div className="relative min-w-full" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const record = records[index];
          if (!record) return null;
          const open = opened.has(record.key);
          return (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className={clsx(
                'absolute left-0 w-full border-line/60 border-b',
                record.key === marked && 'bg-accent-soft',
              )}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                data-line=""
                aria-expanded={open}
                aria-current={record.key === marked ? 'true' : undefined}
                tabIndex={index === Math.min(active, records.length - 1) ? 0 : -1}
                ref={(element) => {
                  if (!element || focusOn.current !== index) return;
                  focusOn.current = undefined;
                  element.focus({ preventScroll: true });
                }}
                onFocus={() => setActive(index)}
                onClick={() => !selecting() && toggle(record.key)}
                className="flex w-full cursor-pointer select-text items-start gap-2 pr-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
              >
                <Summary record={record} open={open} words={words} wrap={wrap || open} resources={resources} />
              </button>
              {open && <LogDetails record={record} query={query} onFilter={onFilter} onContext={onContext} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Whether the press ended a selection of text: that opens nothing. */
function selecting(): boolean {
  return window.getSelection()?.type === 'Range';
}

const marks: Record<Level, string> = {
  error: 'bg-critical',
  warn: 'bg-caution',
  info: 'bg-accent',
  debug: 'bg-line-strong',
  unknown: 'bg-line',
};
const inks: Record<Level, string> = {
  error: 'text-critical-ink',
  warn: 'text-caution-ink',
  info: 'text-accent',
  debug: 'text-ink-muted',
  unknown: 'text-ink-muted',
};

interface SummaryProps {
  record: LogRecord;
  open: boolean;
  words: string;
  wrap: boolean;
  resources: boolean;
}

function Summary({ record: { at, labels, line }, open, words, wrap, resources }: SummaryProps) {
  const level = levelOf(labels.level);
  return (
    <>
      <span className={clsx('w-1 shrink-0 self-stretch', marks[level])} aria-hidden="true" />
      <ChevronRight
        className={clsx('mt-1.5 size-3 shrink-0 text-ink-subtle transition-transform', open && 'rotate-90')}
        aria-hidden="true"
      />
      <time dateTime={new Date(at).toISOString()} className="shrink-0 py-0.5 text-ink-muted tabular-nums">
        {timeOf(at)}
      </time>
      <span className={clsx('w-11 shrink-0 truncate py-0.5 max-sm:sr-only', inks[level])}>{labels.level}</span>
      {resources && (
        <span className="w-32 shrink-0 truncate py-0.5 text-ink-muted max-lg:hidden">
          {labels.resource_name ?? labels.service}
        </span>
      )}
      <span className="flex min-w-0 flex-1 overflow-hidden py-0.5">
        <LogLine line={line} words={words} wrap={wrap} />
      </span>
    </>
  );
}

const time = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const timeToday = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** The time of a line; with its day, unless it is today. */
function timeOf(at: number): string {
  const today = new Date(at).toDateString() === new Date().toDateString();
  return (today ? timeToday : time).format(at);
}
