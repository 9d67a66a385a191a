'use client';

import { useSearchParams } from 'next/navigation';
import { setAddress } from '@/components/kit/page/address';

/** Part of a range that somebody dragged out, in ms. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** The window in an address, if it is one. */
export function parseWindow(from: string | null, to: string | null): TimeWindow | undefined {
  const zoom = { from: Number(from ?? Number.NaN), to: Number(to ?? Number.NaN) };
  return Number.isSafeInteger(zoom.from) && Number.isSafeInteger(zoom.to) && zoom.from < zoom.to ? zoom : undefined;
}

/** The part of `whole` that is shown: the window where they meet, else all of it. */
export function shownWindow(whole: TimeWindow, zoom: TimeWindow | undefined): TimeWindow {
  if (!zoom) return whole;
  const shown = { from: Math.max(whole.from, zoom.from), to: Math.min(whole.to, zoom.to) };
  return shown.from < shown.to ? shown : whole;
}

/** The range of all charts of a page and the window dragged out of it, both in the page's address. */
export function useTimeRange<Range extends string>(ranges: readonly Range[], standard: Range) {
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
