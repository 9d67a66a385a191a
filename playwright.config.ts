import { once } from 'node:events';
import { createServer } from 'node:net';
import { defineConfig, devices } from '@playwright/test';

// Workers read this file again, so only the first read decides.
if (!process.env.E2E_BASE_URL) {
  process.env.E2E_PORT = await freePort();
  process.env.E2E_GATEWAY_PORT = await freePort();
  process.env.E2E_GATEWAY_TLS_PORT = await freePort();
  process.env.E2E_S3_PORT = await freePort();
  process.env.E2E_BASE_URL = `http://localhost:${process.env.E2E_PORT}`;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : '');
}

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/browser',
  globalSetup: './lib/testing/browser-setup.ts',
  fullyParallel: true,
  workers: 2,
  // Generous for busy machines: waits within tests are for conditions.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  retries: process.env.CI ? 2 : 0,
  reporter: [['list'], ['json', { outputFile: 'test-results/browser.json' }]],
  use: {
    ...devices['Desktop Chrome'],
    baseURL: process.env.E2E_BASE_URL,
    screenshot: 'only-on-failure',
    // A test that waits for one element until its own end says nothing about it.
    actionTimeout: 120_000,
    // Recording every test would cost as much CPU as the tests.
    trace: 'on-first-retry',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      // Debian's Chromium, because Playwright's own would be another download.
      executablePath: '/usr/bin/chromium',
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Chromium refuses to run as root in its sandbox.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    },
  },
});
