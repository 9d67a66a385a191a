import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
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

// A web server of a test that replaces the global classes would change every file after it.
const { Request: standardRequest, Response: standardResponse } = globalThis;
afterAll(() => {
  expect(globalThis.Request).toBe(standardRequest);
  expect(globalThis.Response).toBe(standardResponse);
});

/**
 * A host's engines are told apart by their data folder: tests of services, of which two files run at a time, have one each. So have those
 * of functions, whose pools take over what other pools have left in it.
 */
function ownFolder(shared: string): string {
  if (!/\.services\.test\.ts$|\/domains\/functions\//.test(expect.getState().testPath ?? '')) return shared;
  const own = `${shared}-${randomBytes(4).toString('hex')}`;
  cpSync(join(shared, 'keys'), join(own, 'keys'), { recursive: true });
  return own;
}

// Sets the database name before every test file, so that a pool opened by any import is correct from the start.
const { adminUrl, template } = inject('postgres');
applyTestSettings({
  DATA_DIR: ownFolder(inject('dataDir')),
  DATABASE_URL: databaseOn(adminUrl, `${template}_${randomBytes(6).toString('hex')}`),
});
