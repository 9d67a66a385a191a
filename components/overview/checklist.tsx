'use client';

import { Circle, CircleCheck, X } from 'lucide-react';
import Link from 'next/link';
import { useEffect } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { useBudget } from '@/lib/client/freeze';
import { useList } from '@/lib/client/list';
import { isOpenTo, type OperationId } from '@/lib/client/may';
import { toggle, useNavigationMemory } from '@/lib/client/navigation-memory';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

interface Step {
  title: string;
  why: string;
  href: string;
  /** Undefined while loading. */
  done: boolean | undefined;
  /** The step is shown to roles that may call it; without one, to everyone. */
  operation?: OperationId;
}

/** The first steps in a project, until all are done or the reader dismisses them. */
export function Checklist() {
  const { project } = useProject();
  const { dismissed } = useNavigationMemory();
  return dismissed.includes(project.id) ? null : <OpenSteps />;
}

function OpenSteps() {
  const { project } = useProject();
  const steps = useSteps().filter(({ operation }) => operation === undefined || isOpenTo(operation, project.role));
  const open = steps.filter(({ done }) => done === false).length;
  const known = steps.every(({ done }) => done !== undefined);
  useEffect(() => {
    if (known && open === 0) toggle('dismissed', project.id, true);
  }, [known, open, project.id]);

  // Shown before it is known which steps are done, so that nothing below moves.
  if (known && open === 0) return null;
  return (
    <Card
      title="Get started"
      description={known ? `${steps.length - open} of ${steps.length} steps done` : 'The first steps in this project'}
      actions={
        <Button variant="quiet" size="sm" onClick={() => toggle('dismissed', project.id, true)}>
          <X /> Dismiss
        </Button>
      }
    >
      <ol className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {steps.map((step) => (
          <li key={step.title} className="flex">
            <StepLink {...step} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function StepLink({ title, why, href, done }: Step) {
  const Icon = done ? CircleCheck : Circle;
  return (
    <Link
      href={href}
      className="flex w-full gap-3 rounded-md border p-3 transition-colors duration-100 hover:border-line-strong hover:bg-hover"
    >
      <Icon
        className={done ? 'mt-0.5 size-4 shrink-0 text-positive-ink' : 'mt-0.5 size-4 shrink-0 text-ink-subtle'}
        aria-hidden="true"
      />
      <span className="min-w-0 text-sm">
        <span className="font-medium">
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </span>
        <span className="mt-0.5 block text-pretty text-ink-muted text-xs">{why}</span>
      </span>
    </Link>
  );
}

function useSteps(): Step[] {
  const { project, api } = useProject();
  const { slug } = project;
  const keyPairs = useList('/api/v1/compute/keypairs', { limit: 1 });
  const groups = useList('/api/v1/network/security-groups', { limit: 200 });
  const instances = useList('/api/v1/compute/instances', { limit: 1 });
  const budget = useBudget();
  const me = api.useQuery('get', '/api/v1/auth/me');
  const group = groups.data?.rows.find(({ is_default }) => is_default);
  const inbound = groups.data?.rows.some(({ rules }) => rules.some(({ direction }) => direction === 'ingress'));
  return [
    {
      title: 'Create a key pair',
      why: 'Sign in to instances with SSH, without a password.',
      href: paths.newKeyPair(slug),
      done: keyPairs.data && keyPairs.data.rows.length > 0,
      operation: 'createKeyPair',
    },
    {
      title: 'Add a network rule',
      why: 'Allow SSH or HTTP: inbound traffic is blocked until a rule allows it.',
      href: group ? paths.securityGroup(slug, group.id) : paths.securityGroups(slug),
      done: inbound,
      operation: 'createSecurityGroupRule',
    },
    {
      title: 'Create an instance',
      why: 'A virtual machine in under a minute, with a console in your browser.',
      href: paths.newInstance(slug),
      done: instances.data && instances.data.rows.length > 0,
      operation: 'createInstance',
    },
    {
      title: 'Set a budget',
      why: 'Get alerts, and block new costs when the budget is used up.',
      href: paths.budget(slug),
      done: budget.data && budget.data.monthly_limit_usd !== null,
      operation: 'setBudget',
    },
    {
      title: 'Turn on two-factor authentication',
      why: 'A stolen password alone does not open your account.',
      href: paths.account(slug),
      done: me.data?.two_factor_enabled,
    },
  ];
}
