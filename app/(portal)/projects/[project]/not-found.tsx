'use client';

import { ButtonLink } from '@/components/ui/button';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

export default function NotFound() {
  const { project } = useProject();
  return (
    <div className="mx-auto max-w-lg px-4 pt-16 sm:px-6">
      <title>Not found · Nephele</title>
      <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl tracking-[-0.017em]">
        There is no page at this address
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">The link may be old, or what it led to was deleted.</p>
      <div className="mt-5">
        <ButtonLink variant="primary" href={paths.overview(project.slug)}>
          Go to the overview
        </ButtonLink>
      </div>
    </div>
  );
}
