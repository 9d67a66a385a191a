import { settingNames } from '@/lib/settings';

/** Gives a test process its own settings: the developer's shell, `.env` and database never affect a test. */
export function applyTestSettings(given: { DATA_DIR: string; DATABASE_URL?: string }): void {
  for (const name of settingNames) delete process.env[name];
  Object.assign(process.env, { NODE_ENV: 'test', LOG_LEVEL: 'silent', HOST_ID: 'test-host', ...given });
}
