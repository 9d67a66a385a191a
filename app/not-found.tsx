import { StandAlone } from '@/components/page/stand-alone';
import { buttonLook } from '@/components/ui/button-look';
import { paths } from '@/lib/paths';

export default function NotFound() {
  return (
    <StandAlone title="Not found">
      <p className="font-mono text-ink-subtle text-xs">404</p>
      <h1 className="mt-1 font-semibold text-2xl tracking-[-0.02em]">Nothing but clear sky</h1>
      <p className="mt-2 text-pretty text-ink-muted text-sm">
        There is no page at this address. The link may be old, or what it led to was deleted.
      </p>
      <div className="mt-6">
        <a href={paths.home()} className={buttonLook({ variant: 'primary' })}>
          Go to your project
        </a>
      </div>
    </StandAlone>
  );
}
