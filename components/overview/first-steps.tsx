import { Gauge, type LucideIcon, Server, SquareTerminal, Users } from 'lucide-react';
import Link from 'next/link';
import { isOpenTo } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

interface Step {
  icon: LucideIcon;
  title: string;
  href: string;
  words: string;
}

/** What a newcomer can do in a project where nothing has happened yet. */
export function FirstSteps() {
  const { project } = useProject();
  if (!isOpenTo('createInstance', project.role))
    return <p className="text-ink-muted text-sm">Changes in this project appear here.</p>;
  const { slug } = project;
  const everybody: Step[] = [
    {
      icon: Server,
      title: 'Create an instance',
      href: paths.newInstance(slug),
      words: 'A virtual machine in under a minute, with a console in your browser.',
    },
    {
      icon: SquareTerminal,
      title: 'Create an API token',
      href: paths.newToken(slug),
      words: 'Automate everything you can do here.',
    },
  ];
  const admins: Step[] = [
    {
      icon: Gauge,
      title: 'Set a budget',
      href: paths.budget(slug),
      words: 'Get alerts, and block new costs when the budget is used up.',
    },
    { icon: Users, title: 'Add users', href: paths.newUser(slug), words: 'Give each colleague the right role.' },
  ];
  const steps = isOpenTo('setBudget', project.role) ? [...everybody, ...admins] : everybody;
  return (
    <>
      <p className="text-ink-muted text-sm">No activity yet. Get started:</p>
      <ul className="mt-3 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ icon: Icon, title, href, words }) => (
          <li key={href} className="flex">
            <Link
              href={href}
              className="flex w-full gap-3 rounded-md border p-3 transition-colors duration-100 hover:border-line-strong hover:bg-hover"
            >
              <Icon className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden="true" />
              <span className="min-w-0 text-sm">
                <span className="font-medium">{title}</span>
                <span className="mt-0.5 block text-pretty text-ink-muted text-xs">{words}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
