import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of this process, served on `/metrics`. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: 'nephele_' });

export const requestSeconds = new Histogram({
  name: 'nephele_http_request_duration_seconds',
  help: 'Request duration, by endpoint and status.',
  labelNames: ['endpoint', 'method', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

export const unauthenticatedRequests = new Counter({
  name: 'nephele_unauthenticated_requests_total',
  help: 'Requests refused with 401 that had no credentials.',
  registers: [registry],
});

export const databaseConnections = new Gauge({
  name: 'nephele_database_connections',
  help: 'Database connections of this process: open, idle, and callers waiting for one.',
  labelNames: ['state'],
  registers: [registry],
});
