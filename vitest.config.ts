import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    include: ['{lib,app,components,prisma}/**/*.test.{ts,tsx}'],
    globalSetup: [],
  },
});
