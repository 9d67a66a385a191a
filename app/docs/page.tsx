import type { Metadata } from 'next';
import { headers } from 'next/headers';

export const metadata: Metadata = { title: 'API reference' };

/** The API reference: read every endpoint, and try a request with a token of your own. */
export default async function Reference() {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <main aria-label="API reference" className="min-h-dvh">
      <h1 className="sr-only">Nephele API reference</h1>
      <div id="reference" />
      <script nonce={nonce} src="/docs/reference.js" defer />
      <script nonce={nonce} src="/docs/start.js" defer />
    </main>
  );
}
