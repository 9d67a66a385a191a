import { cookies } from 'next/headers';
import { Console } from '@/components/console/console';
import { StandAlone } from '@/components/kit/page/stand-alone';
import { buttonLook } from '@/components/kit/ui/button-look';
import { consoleAccess } from '@/lib/domains/compute/console';
import { paths } from '@/lib/paths';

interface ConsolePageProps {
  params: Promise<{ id: string }>;
  searchParams: Promise<{ part?: string | string[] }>;
}

/** An instance's console, for whom its cookie lets in; the ticket in the API's URL was exchanged for it. */
export default async function ConsolePage({ params, searchParams }: ConsolePageProps) {
  const { id } = await params;
  const { part } = await searchParams;
  const access = await consoleAccess(id, (await cookies()).toString());
  if (access) {
    const first = part === 'terminal' ? 'terminal' : 'screen';
    return <Console instanceId={access.instance_id} name={access.name} first={first} />;
  }
  return (
    <StandAlone title="Console">
      <h1 className="font-semibold text-2xl tracking-[-0.02em]">This console is closed</h1>
      <p className="mt-2 text-pretty text-ink-muted text-sm">
        A console link works once, within a minute, while you have access to the instance. Open the console again from
        the instance’s page.
      </p>
      <div className="mt-6">
        <a href={paths.home()} className={buttonLook({ variant: 'primary' })}>
          Go to your project
        </a>
      </div>
    </StandAlone>
  );
}
