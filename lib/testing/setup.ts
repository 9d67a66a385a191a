import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { databaseOn } from './database';
import { applyTestSettings } from './environment';

// Sets the database name before every test file, so that a pool opened by any import is correct from the start.
const { adminUrl, template } = inject('postgres');
applyTestSettings({
  DATA_DIR: inject('dataDir'),
  DATABASE_URL: databaseOn(adminUrl, `${template}_${randomBytes(6).toString('hex')}`),
});
