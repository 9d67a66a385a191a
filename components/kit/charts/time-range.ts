'use client';

import { useSearchParams } from 'next/navigation';
import { setAddress } from '@/components/kit/page/address';

/** The part of a range selected by dragging, in ms. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** The window in an address, if valid. */
export function parseWindow(from: string | null, to: string | null): TimeWindow | undefined {
  const zoom = { from: Number(from ?? Number.NaN), to: Number(to ?? Number.NaN) };
  return Number.isSafeInteger(zoom.from) && Number.isSafeInteger(zoom.to) && zoom.from < zoom.to ? zoom : undefined;
}

/** The visible part of `whole`: its overlap with the window, or all of it. */
export function shownWindow(whole: TimeWindow, zoom: TimeWindow | undefined): TimeWindow {
  if (!zoom) return whole;
  const shown = { from: Math.max(whole.from, zoom.from), to: Math.min(whole.to, zoom.to) };
  return shown.from < shown.to ? shown : whole;
}

/** The range of all charts on a page and its selected window, both stored in the page's address. */
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
