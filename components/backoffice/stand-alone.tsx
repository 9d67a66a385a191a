import Link from 'next/link';
import type { ReactNode } from 'react';
import { Wordmark } from '@/components/brand/logo';
import { adminPaths } from '@/lib/paths';

/** A page of the back office outside its shell: sign-in and what comes before the way in. */
export function AdminStandAlone({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div data-realm="backoffice" className="horizon flex min-h-dvh flex-col">
      <title>{`${title} · Nephele back office`}</title>
      <header className="dark-island flex h-12 shrink-0 items-center gap-3 bg-band px-4 text-band-ink sm:px-6">
        <Link href={adminPaths.home()} aria-label="Nephele back office, overview" className="rounded-sm">
          <Wordmark />
        </Link>
        <span className="rounded-sm bg-band-ink px-1.5 py-0.5 font-semibold text-band text-xs">Back office</span>
      </header>
      <main className="grid flex-1 place-items-center px-4 pt-8 pb-[14dvh]">
        <div className="w-full max-w-sm">{children}</div>
      </main>
    </div>
  );
}
