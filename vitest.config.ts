import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    include: ['{lib,app,components,prisma}/**/*.test.{ts,tsx}'],
    globalSetup: 'lib/testing/global-setup.ts',
    setupFiles: 'lib/testing/setup.ts',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
