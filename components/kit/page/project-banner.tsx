import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface ProjectBannerProps {
  /** Its name for screen readers: "Budget freeze". */
  label: string;
  icon: LucideIcon;
  title: string;
  /** The buttons at the end. */
  actions?: ReactNode;
  /** The reason and the consequences. Without them, there is no banner. */
  children: ReactNode;
}

/** Above every page of a project: a state that blocks something. */
export function ProjectBanner({ label, icon: Icon, title, actions, children }: ProjectBannerProps) {
  return (
    // Present while empty, so that screen readers announce the text when it appears.
    <div role="status" aria-label={label}>
      {children && (
        <div className="border-caution/50 border-b bg-caution-soft">
          <div className="mx-auto flex w-full max-w-[88rem] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3 text-sm sm:px-6 lg:px-8">
            <div className="flex min-w-0 flex-1 basis-80 gap-3">
              <Icon className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
              <div className="min-w-0 text-pretty">
                <p className="font-medium">{title}</p>
                <p className="mt-0.5 text-ink-muted">{children}</p>
              </div>
            </div>
            {actions && <div className="flex flex-wrap gap-2 max-sm:pl-7">{actions}</div>}
          </div>
        </div>
      )}
    </div>
  );
}
