import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    include: ['{lib,app,components,prisma}/**/*.test.{ts,tsx}'],
    globalSetup: 'lib/testing/global-setup.ts',
    setupFiles: 'lib/testing/setup.ts',
    // Guests boot on an emulated processor beside other tests: time limits catch what hangs, not what is slow.
    testTimeout: 60_000,
    hookTimeout: 240_000,
    retry: process.env.CI ? 2 : 0,
  },
});
