import type { Completion } from '@codemirror/autocomplete';

const named = (type: string, words: string) => words.split(' ').map((label): Completion => ({ label, type }));

/** Functions and operators of PromQL. */
export const promqlWords: readonly Completion[] = [
  ...named('function', 'rate irate increase delta idelta changes resets'),
  ...named('function', 'avg_over_time min_over_time max_over_time sum_over_time count_over_time last_over_time'),
  ...named('function', 'quantile_over_time stddev_over_time stdvar_over_time present_over_time histogram_quantile'),
  ...named('function', 'sum avg min max count topk bottomk quantile'),
  ...named('keyword', 'by without on ignoring and or unless bool offset'),
];
