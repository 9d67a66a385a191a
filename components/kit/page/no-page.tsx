import { ButtonLink } from '@/components/kit/ui/button';

/** In the place of a page that does not exist, within its frame. */
export function NoPage({ site, overview }: { site: string; overview: string }) {
  return (
    <div className="mx-auto max-w-lg px-4 pt-16 sm:px-6">
      <title>{`Not found · ${site}`}</title>
      <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl tracking-[-0.017em]">
        Page not found
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">
        The link may be outdated, or the resource was deleted.
      </p>
      <div className="mt-5">
        <ButtonLink variant="primary" href={overview}>
          Go to the overview
        </ButtonLink>
      </div>
    </div>
  );
}
