import { powerDown } from '@/lib/compute/power-down';
import { closePool } from '@/lib/db/pool';

// A process of its own: the supervisor has no engine, and the worker, which has one, must have ended before.
await powerDown();
await closePool();
