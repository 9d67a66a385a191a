'use client';

import { useSearchParams } from 'next/navigation';
import { setAddress } from '@/components/kit/page/address';

/** A start and an end in ms: chosen, or selected by dragging. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** The window in an address, if valid. */
export function parseWindow(from: string | null, to: string | null): TimeWindow | undefined {
  const zoom = { from: Number(from ?? Number.NaN), to: Number(to ?? Number.NaN) };
  return Number.isSafeInteger(zoom.from) && Number.isSafeInteger(zoom.to) && zoom.from < zoom.to ? zoom : undefined;
}

/** A moment as a field of type `datetime-local` holds it, in the reader’s time zone, to the second. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The moment in such a field, in ms; undefined while it is incomplete, and before 1970. */
export function parseLocalTime(text: string): number | undefined {
  const ms = text.includes('T') ? new Date(text).getTime() : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/** The visible part of `whole`: its overlap with the window, or all of it. */
export function shownWindow(whole: TimeWindow, zoom: TimeWindow | undefined): TimeWindow {
  if (!zoom) return whole;
  const shown = { from: Math.max(whole.from, zoom.from), to: Math.min(whole.to, zoom.to) };
  return shown.from < shown.to ? shown : whole;
}

export interface TimeRange<Range extends string = string> {
  range: Range;
  /** Replaces the range while it is set. */
  zoom: TimeWindow | undefined;
  choose: (range: Range) => void;
  zoomTo: (shown: TimeWindow) => void;
  zoomOut: () => void;
}

/** The range of everything on a page and its window, both stored in the page's address. */
export function useTimeRange<Range extends string>(ranges: readonly Range[], standard: Range): TimeRange<Range> {
  const params = useSearchParams();
  const asked = params.get('range');
  return {
    range: ranges.find((range) => range === asked) ?? standard,
    zoom: parseWindow(params.get('from'), params.get('to')),
    choose: (range: Range) => setAddress({ range, from: undefined, to: undefined }),
    zoomTo: ({ from, to }: TimeWindow) => setAddress({ from: String(from), to: String(to) }),
    zoomOut: () => setAddress({ from: undefined, to: undefined }),
  };
}
