import { settingNames } from '@/lib/settings';

/** Gives a test process settings of its own: nothing of the developer's shell, `.env` or database reaches a test. */
export function applyTestSettings(given: { DATA_DIR: string; DATABASE_URL?: string }): void {
  for (const name of settingNames) delete process.env[name];
  Object.assign(process.env, { NODE_ENV: 'test', LOG_LEVEL: 'silent', HOST_ID: 'test-host', ...given });
}
