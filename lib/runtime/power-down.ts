import { closePool } from '@/lib/core/db/pool';
import { powerDown } from '@/lib/hosts/agent/power-down';
import { watches } from '@/lib/platform/work';

// A process of its own: the supervisor has no engine, and the worker, which has one, must have ended before.
await powerDown(watches);
await closePool();
