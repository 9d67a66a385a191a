import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { freemem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Idle time before the next page is compiled ahead. */
const QUIET_MS = 1000;
const LONGEST_MS = 60_000;
const MARK = 'nephele-compiles-ahead';

/** The addresses that everybody opens first: the API behind pages, sign-in and its session, a project. */
const firstAddresses = [
  '/sign-in',
  '/api/v1/openapi.json',
  '/api/auth/csrf',
  '/',
  '/projects/first',
  '/projects/first/compute/instances',
];

/** Memory left to other programs: each compiled page takes about 40 MB. */
const SPARED_BYTES = 4 * 1024 ** 3;

const visit = (url: string, signal: AbortSignal) =>
  fetch(url, {
    headers: { 'User-Agent': MARK },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
  }).then(
    (answer) => answer.arrayBuffer(),
    () => {},
  );

/** `npm run dev` compiles pages on first request; this compiles the first ones in advance. */
export async function compileFirstPages(url: string, stopping: AbortSignal): Promise<void> {
  for (const address of firstAddresses) await visit(url + address, stopping);
}

/**
 * Compiles all other pages one by one while the server is idle.
 * @returns `notice`, which every request must call, so that people's requests come first
 */
export function compileAhead(url: string, stopping: AbortSignal): { notice(request: IncomingMessage): void } {
  let askedAt = 0;
  const visitAll = async () => {
    for (const address of addressesOfPages()) {
      while (!stopping.aborted && performance.now() - askedAt < QUIET_MS) await delay(QUIET_MS / 4);
      if (stopping.aborted || freemem() < SPARED_BYTES) return;
      await visit(url + address, stopping);
    }
  };
  void visitAll();
  return {
    notice({ headers }) {
      if (headers['user-agent'] !== MARK) askedAt = performance.now();
    },
  };
}

/** All pages, with placeholder parameters. */
function addressesOfPages(): string[] {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/page.tsx') && !file.includes('[...'))
    .map(
      (file) =>
        `/${file
          .replace(/\(\w+\)\//g, '')
          .replace(/\[\w+\]/g, 'first')
          .replace(/\/page\.tsx$/, '')}`,
    )
    .filter((address) => !firstAddresses.includes(address));
}

/**
 * Disables Next's lookup of static paths. In development it starts a process for each visit of a page with a parameter,
 * to list the parameters known before any request. Here there are none, and the visit would wait for it.
 */
export function expectNoStaticPaths(): void {
  const next: typeof import('next/dist/server/dev/next-dev-server') = createRequire(import.meta.url)(
    'next/dist/server/dev/next-dev-server',
  );
  Object.assign(next.default.prototype, { getStaticPaths: async () => ({ fallbackMode: undefined }) });
}
