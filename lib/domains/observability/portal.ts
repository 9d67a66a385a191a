import type { DomainPortal } from '@/lib/core/domains/portal';

export const observabilityPortal: DomainPortal = {
  topics: {},
  actions: {
    'logs.query': 'queried logs',
    'logs.tail': 'followed logs',
    'loki.query': 'queried logs',
    'loki_range.query': 'queried logs',
    'loki_by_form.query': 'queried logs',
    'loki_range_by_form.query': 'queried logs',
    'prometheus.query': 'queried metrics',
    'prometheus_range.query': 'queried metrics',
    'prometheus_by_form.query': 'queried metrics',
    'prometheus_range_by_form.query': 'queried metrics',
  },
  sections: { Observability: ['Logs'] },
};
