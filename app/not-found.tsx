import { StandAlone } from '@/components/kit/page/stand-alone';
import { buttonLook } from '@/components/kit/ui/button-look';
import { paths } from '@/lib/paths';

export default function NotFound() {
  return (
    <StandAlone title="Not found">
      <p className="font-mono text-ink-subtle text-xs">404</p>
      <h1 className="mt-1 font-semibold text-2xl tracking-[-0.02em]">Page not found</h1>
      <p className="mt-2 text-pretty text-ink-muted text-sm">The link may be outdated, or the resource was deleted.</p>
      <div className="mt-6">
        <a href={paths.home()} className={buttonLook({ variant: 'primary' })}>
          Go to your project
        </a>
      </div>
    </StandAlone>
  );
}
