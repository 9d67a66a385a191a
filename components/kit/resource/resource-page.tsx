'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { AddressTabs, type PageTab } from '@/components/kit/page/address-tabs';
import { EmptyState } from '@/components/kit/page/empty-state';
import type { Fact } from '@/components/kit/page/facts';
import { Loaded } from '@/components/kit/page/loaded';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { Page } from '@/components/kit/page/page';
import { type Action, ActionMenu } from '@/components/kit/table/row-actions';
import { ButtonLink } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { telemetryTabs } from '@/components/observability/telemetry-tabs';
import type { Call } from '@/lib/client/commands';
import { ApiError } from '@/lib/client/errors';
import { forgetVisit, recordVisit } from '@/lib/client/navigation-memory';
import { useProjectIfAny } from '@/lib/client/project';
import { type Rename, useRenaming } from './rename';

const ResourceTags = lazyComponent(
  () => import('@/components/inventory/resource-tags').then((module) => module.ResourceTags),
  () => <Skeleton className="mb-4 h-7 w-28" />,
);

interface Resource {
  id?: string;
  name?: string;
  status?: string;
  status_reason?: string | null;
}

interface ResourcePageProps<R extends Resource> {
  of: ResourceKind;
  query: { data: R | undefined; error: unknown; refetch: () => unknown };
  /** What reads it, from `lib/client/operations`: its page copies that request. */
  get?: Call['operation'];
  /** What it is called; its `name`, without. */
  title?: (resource: R) => string;
  description?: (resource: R) => ReactNode;
  /** The few that are wanted most often: address, size, price per hour. */
  facts?: (resource: R) => readonly Fact[];
  /** Whether it is the project’s own, with tags, metrics and logs; it is, without. */
  taggable?: (resource: R) => boolean;
  /** Its name is changed in place, where the API allows it. */
  rename?: Rename;
  /** Beside the title; its status, without. */
  badge?: (resource: R) => ReactNode;
  /** What can be done with it: the menu of its page. */
  actions?: (resource: R) => readonly Action[];
  /** Buttons beside the menu, the most wanted last. */
  buttons?: (resource: R) => ReactNode;
  /** Above the tabs, such as a failure. */
  above?: (resource: R) => ReactNode;
  /** Its parts, each with an address; or, where it has one part, the content. */
  tabs?: (resource: R) => readonly PageTab[];
  content?: (resource: R) => ReactNode;
  /** For editors, which use the whole width of the screen. */
  full?: boolean;
  /** The dialogs of its actions. */
  children?: ReactNode;
}

/** The page of one resource: loading, failed, deleted, or its title, status, actions and parts. */
export function ResourcePage<R extends Resource>(props: ResourcePageProps<R>) {
  const { of: kind, query, actions, buttons, above, tabs, content, children } = props;
  const {
    title = ownName,
    description,
    badge = ownStatus,
    facts,
    rename,
    get,
    taggable = () => true,
    full = false,
  } = props;
  const { data } = query;
  const noun = kind.noun.charAt(0).toUpperCase() + kind.noun.slice(1);
  const name = (data && title(data)) || noun;
  const gone = data === undefined && query.error instanceof ApiError && query.error.status === 404;
  useRemembered(data && name, gone);
  const renaming = useRenaming(rename, name, kind.noun);
  if (gone) {
    return (
      <Page title={`${noun} not found`}>
        <Gone of={kind} />
      </Page>
    );
  }
  return (
    <Page
      full={full}
      title={name}
      description={data && description?.(data)}
      badge={
        data && (
          <>
            {renaming.button}
            {badge(data)}
          </>
        )
      }
      titleField={data && renaming.field}
      {...(data && facts && { facts: facts(data) })}
      actions={
        data && (
          <>
            {get && <CopyAs call={() => ({ operation: get, ...(data.id && { id: data.id }) })} />}
            {actions && <ActionMenu name={name} actions={actions(data)} labelled />}
            {buttons?.(data)}
          </>
        )
      }
    >
      <Loaded query={query} what={`The ${kind.noun}`} skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(resource) => (
          <>
            {kind.type && resource.id && taggable(resource) && (
              <ResourceTags key={resource.id} type={kind.type} id={resource.id} name={name} />
            )}
            {above?.(resource)}
            {tabs && (
              <AddressTabs
                label={`${noun} sections`}
                tabs={withTelemetry(tabs(resource), kind, resource, taggable(resource))}
              />
            )}
            {content?.(resource)}
          </>
        )}
      </Loaded>
      {children}
    </Page>
  );
}

/** Its parts with its metrics and logs, which come before its activity. */
function withTelemetry(tabs: readonly PageTab[], kind: ResourceKind, { id }: Resource, own: boolean) {
  const { type, telemetry } = kind;
  if (!own || type === undefined || id === undefined) return tabs;
  const place = tabs.findIndex(({ name }) => name === 'activity');
  // A page may have a tab of its own for what its resource reports.
  const shared = telemetryTabs(type, id, telemetry).filter(({ name }) => !tabs.some((own) => own.name === name));
  return tabs.toSpliced(place < 0 ? tabs.length : place, 0, ...shared);
}

/** The navigation offers the resources that were opened last. */
function useRemembered(label: string | undefined, gone: boolean) {
  const href = usePathname();
  const project = useProjectIfAny()?.slug ?? '';
  useEffect(() => {
    if (gone) forgetVisit(href);
    else if (label !== undefined) recordVisit({ project, href, label });
  }, [project, href, label, gone]);
}

function Gone({ of: { icon, noun, nouns = `${noun}s`, href } }: { of: ResourceKind }) {
  const project = useProjectIfAny()?.slug ?? '';
  return (
    <EmptyState
      icon={icon}
      title={`This ${noun} does not exist`}
      action={
        <ButtonLink variant="primary" href={href(project)}>
          View {nouns}
        </ButtonLink>
      }
    >
      It may have been deleted, or the link is incomplete.
    </EmptyState>
  );
}

function ownName({ name }: Resource): string {
  return name ?? '';
}

function ownStatus({ status, status_reason }: Resource): ReactNode {
  return status && <StatusBadge status={status} reason={status_reason} />;
}
