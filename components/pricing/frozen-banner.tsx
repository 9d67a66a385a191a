'use client';

import { Snowflake } from 'lucide-react';
import { ButtonLink } from '@/components/kit/ui/button';
import { useBudget, usedUp } from '@/lib/client/freeze';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** On every page of a project whose budget is used up: what is blocked, why, and how it is lifted. */
export function FrozenBanner() {
  const { project } = useProject();
  const may = useMay('setBudget');
  const { data: budget } = useBudget();
  return (
    // There before it says something, so that what it says is announced.
    <div role="status" aria-label="Budget freeze">
      {budget?.status.frozen && (
        <div className="border-caution/50 border-b bg-caution-soft">
          <div className="mx-auto flex w-full max-w-[88rem] flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3 text-sm sm:px-6 lg:px-8">
            <div className="flex min-w-0 flex-1 basis-80 gap-3">
              <Snowflake className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
              <div className="min-w-0 text-pretty">
                <p className="font-medium">This project is frozen</p>
                <p className="mt-0.5 text-ink-muted">
                  {usedUp(budget)} Nothing can be created or enlarged until the month ends (UTC) or{' '}
                  {may.allowed ? 'you raise' : 'a project admin raises'} the budget or {may.allowed ? 'add' : 'adds'}{' '}
                  credit. Existing resources keep running.
                </p>
              </div>
            </div>
            {may.allowed && (
              <div className="flex flex-wrap gap-2 max-sm:pl-7">
                <ButtonLink href={paths.credit(project.slug)}>Add credit</ButtonLink>
                <ButtonLink href={paths.budget(project.slug)} variant="primary">
                  Raise budget
                </ButtonLink>
              </div>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
