/** Colours for any number of lines; more lines begin again. */
const palette = [
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
  'series-7',
  'series-8',
] as const;

export type Tone = 'accent' | 'positive' | 'caution' | 'critical' | 'line-strong' | (typeof palette)[number];

/** The colour of the line at a position of a chart whose lines have no meaning of their own. */
export const toneAt = (position: number): Tone => palette[position % palette.length] ?? 'accent';

/** One line of a chart. */
export interface Series {
  label: string;
  tone: Tone;
  /** One value per time; null is unknown and leaves a gap. */
  values: readonly (number | null)[];
}

/** Positions of single values between two gaps: too short for a line, so they are drawn as points. */
export function loneValues(values: readonly (number | null | undefined)[]): number[] {
  const known = (position: number) => values[position] !== null && values[position] !== undefined;
  return [...values.keys()].filter((position) => known(position) && !known(position - 1) && !known(position + 1));
}

/** The value at a position, or the latest one without a position. */
export function valueAt({ values }: Series, position: number | undefined): number | null {
  return values[position ?? values.length - 1] ?? null;
}

/** The sum of all known values. */
export function totalOf({ values }: Pick<Series, 'values'>): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** Each series on top of the ones before it. */
export function stacked(series: readonly Pick<Series, 'values'>[]): number[][] {
  const tops: number[][] = [];
  for (const { values } of series) {
    const below = tops.at(-1);
    tops.push(values.map((value, position) => (below?.[position] ?? 0) + (value ?? 0)));
  }
  return tops;
}
