import { closePool } from '@/lib/core/db/pool';
import { powerDown } from '@/lib/hosts/agent/power-down';
import { watchesOf } from '@/lib/platform/work';
import { ownCell } from '@/lib/settings';

// A separate process: the supervisor has no engine, and the worker, which has one, must have ended before.
const cell = ownCell();
await powerDown(cell, watchesOf(cell));
await closePool();
