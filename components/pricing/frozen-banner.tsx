'use client';

import { Snowflake } from 'lucide-react';
import { ProjectBanner } from '@/components/kit/page/project-banner';
import { ButtonLink } from '@/components/kit/ui/button';
import { useBudget, usedUp } from '@/lib/client/freeze';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** Banner on every page of a project with an exhausted budget: the effects of the freeze and how to lift it. */
export function FrozenBanner() {
  const { project } = useProject();
  const may = useMay('setBudget');
  const { data: budget } = useBudget();
  return (
    <ProjectBanner
      label="Budget freeze"
      icon={Snowflake}
      title="This project is frozen"
      actions={
        may.allowed && (
          <>
            <ButtonLink href={paths.credit(project.slug)}>Add credit</ButtonLink>
            <ButtonLink href={paths.budget(project.slug)} variant="primary">
              Raise budget
            </ButtonLink>
          </>
        )
      }
    >
      {budget?.status.frozen && (
        <>
          {usedUp(budget)} Nothing can be created or enlarged until the month ends (UTC) or{' '}
          {may.allowed ? 'you raise' : 'a project admin raises'} the budget or {may.allowed ? 'add' : 'adds'} credit.
          Existing resources keep running.
        </>
      )}
    </ProjectBanner>
  );
}
