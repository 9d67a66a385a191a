import type { ReactNode } from 'react';
import { Wordmark } from '@/components/brand/logo';
import { paths } from '@/lib/paths';

/** A page outside the shell: sign-in, what is not found, what has failed. Plain links: leaving it loads afresh. */
export function StandAlone({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="horizon flex min-h-dvh flex-col px-4">
      <title>{`${title} · Nephele`}</title>
      <header className="py-5">
        <a href={paths.home()} aria-label="Nephele, home" className="inline-block rounded-sm">
          <Wordmark />
        </a>
      </header>
      <main className="grid flex-1 place-items-center pb-[16dvh]">
        <div className="w-full max-w-sm">{children}</div>
      </main>
    </div>
  );
}
