import { closePool } from '@/lib/core/db/pool';
import { powerDown } from '@/lib/domains/compute/power-down';
import { serviceSources } from '@/lib/platform/work';

// A process of its own: the supervisor has no engine, and the worker, which has one, must have ended before.
await powerDown(serviceSources);
await closePool();
