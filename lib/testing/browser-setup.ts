import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { settingNames } from '@/lib/settings';
import { administrator, owner } from './accounts';

/**
 * Runs once before the browser tests: starts the whole platform with the user's command, on its own data folder. Set
 * E2E_BASE_URL to use a running platform instead.
 */
export default async function setup() {
  const { E2E_PORT: port } = process.env;
  if (!port) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'nephele-e2e-'));
  chmodSync(dataDir, 0o711);
  // An empty value hides the one in the developer's `.env`.
  const nothingGiven = Object.fromEntries(settingNames.map((name) => [name, '']));
  const platform = spawn(process.execPath, ['lib/runtime/start.mjs'], {
    env: {
      ...process.env,
      ...nothingGiven,
      PORT: port,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      COMPONENT_GALLERY: 'true',
      GATEWAY_HTTP_PORT: process.env.E2E_GATEWAY_PORT,
      GATEWAY_HTTPS_PORT: process.env.E2E_GATEWAY_TLS_PORT,
      S3_PORT: process.env.E2E_S3_PORT,
      // Where tests start servers for the gateway to reach.
      ALLOW_PRIVATE_URLS: '127.0.0.99',
      BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      BOOTSTRAP_TENANT_PASSWORD: owner.password,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(platform, 'exit');
  const stop = async () => {
    platform.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true });
  };
  while (!(await isReady(`http://localhost:${port}/readyz`))) {
    if (platform.exitCode !== null) {
      await stop();
      throw new Error('The platform did not start.');
    }
    await delay(100);
  }
  return stop;
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
