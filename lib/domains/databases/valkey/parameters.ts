import { choice, integer, type Parameter } from '../parameter';

/** What tenants may set: members begin anew with it, one after the other. */
export const valkeyParameters: readonly Parameter[] = [
  {
    ...choice(
      'maxmemory-policy',
      [
        'noeviction',
        'allkeys-lru',
        'allkeys-lfu',
        'allkeys-random',
        'volatile-lru',
        'volatile-lfu',
        'volatile-random',
        'volatile-ttl',
      ],
      'noeviction',
      'What is evicted when the memory is full; noeviction: writes are refused.',
    ),
    restarts: true,
  },
  integer('timeout', 's', [0, 86_400], 0, 'Ends connections that are idle for so long; 0: never.', true),
  integer('maxclients', null, [50, 4000], 1000, 'Connections at the same time.', true),
  integer('databases', null, [1, 64], 16, 'Numbered databases.', true),
  integer('slowlog-log-slower-than', 'µs', [-1, 60_000_000], 10_000, 'Keeps commands that run longer; -1: none.', true),
  integer('busy-reply-threshold', 'ms', [100, 60_000], 5000, 'Scripts that run longer may be ended by others.', true),
];
