import type { Completion } from '@codemirror/autocomplete';

const stage = (label: string, detail: string, apply = label): Completion => ({ label, detail, apply, type: 'keyword' });
const named = (type: string, labels: readonly string[]) => labels.map((label): Completion => ({ label, type }));

/** What can follow `|` in LogQL. */
export const stages: readonly Completion[] = [
  stage('json', 'reads fields of JSON'),
  stage('logfmt', 'reads fields such as key=value'),
  stage('pattern', 'reads fields by a pattern', 'pattern "<field> "'),
  stage('regexp', 'reads fields by named groups', 'regexp "(?P<field>.*)"'),
  stage('line_format', 'rewrites the line', 'line_format "{{.field}}"'),
  stage('label_format', 'renames a field', 'label_format new=old'),
  stage('unwrap', 'uses a field as the number', 'unwrap field'),
  stage('decolorize', 'removes terminal colors'),
  stage('drop', 'removes labels', 'drop label'),
  stage('keep', 'keeps only these labels', 'keep label'),
];

/** Functions and operators of LogQL. */
export const functions: readonly Completion[] = [
  ...named('function', [
    'rate',
    'count_over_time',
    'bytes_rate',
    'bytes_over_time',
    'avg_over_time',
    'sum_over_time',
    'min_over_time',
    'max_over_time',
    'quantile_over_time',
    'first_over_time',
    'last_over_time',
    'stddev_over_time',
    'stdvar_over_time',
    'absent_over_time',
    'label_replace',
  ]),
  ...named('function', ['sum', 'avg', 'min', 'max', 'count', 'topk', 'bottomk', 'stddev', 'stdvar', 'sort']),
  ...named('keyword', ['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring', 'bool', 'offset']),
];
