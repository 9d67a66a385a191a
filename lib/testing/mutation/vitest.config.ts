import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests of admission and metering: each fault is run against those that reach it. */
export default defineConfig({
  resolve: { alias: { '@': resolve('.') } },
  test: {
    globalSetup: 'lib/testing/global-setup.ts',
    setupFiles: 'lib/testing/setup.ts',
    include: [
      'lib/{core/quota,money/{metering,rating,billing,invoices}}/*.test.ts',
      'lib/core/operations/lease.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 240_000,
  },
});
