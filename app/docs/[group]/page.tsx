import { notFound } from 'next/navigation';
import { Page } from '@/components/kit/page/page';
import { Method } from '@/components/reference/method';
import { Operation } from '@/components/reference/operation';
import { Path } from '@/components/reference/path';
import { groups } from '@/lib/client/reference';
import { settings } from '@/lib/settings';

/** All endpoints of one subject: a list to choose from, then each of them whole. */
export default async function ReferenceGroupPage({ params }: { params: Promise<{ group: string }> }) {
  const { group: slug } = await params;
  const { baseUrl } = settings();
  const group = groups.find((candidate) => candidate.slug === slug);
  if (!group) notFound();
  return (
    <Page title={group.name} description={group.description}>
      <nav aria-label="Endpoints" className="mb-10 overflow-hidden rounded-lg border bg-surface">
        <ul className="divide-y">
          {group.operations.map(({ id, method, path, summary }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                className="grid items-center gap-x-4 gap-y-1 px-4 py-2 text-sm hover:bg-hover md:grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)]"
              >
                <span>{summary}</span>
                <span className="flex items-start gap-2">
                  <Method name={method} />
                  <Path of={path} className="text-ink-muted text-xs leading-5" />
                </span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {group.operations.map((operation) => (
        <Operation key={operation.id} operation={operation} baseUrl={baseUrl} />
      ))}
    </Page>
  );
}
