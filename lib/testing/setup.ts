import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { setClockOffset } from '@/lib/clock';
import { forgetSettings } from '@/lib/settings';
import { databaseOn } from './database';
import { applyTestSettings } from './environment';

// Files share processes (`vitest.config.ts`): each begins without what the one before it left.
forgetSettings();
setClockOffset(0);
globalThis.nephelePool = undefined;
globalThis.nephelePrisma = undefined;
globalThis.nepheleEngines = undefined;
globalThis.nepheleStopping = undefined;

// Sets the database name before every test file, so that a pool opened by any import is correct from the start.
const { adminUrl, template } = inject('postgres');
applyTestSettings({
  DATA_DIR: inject('dataDir'),
  DATABASE_URL: databaseOn(adminUrl, `${template}_${randomBytes(6).toString('hex')}`),
});
