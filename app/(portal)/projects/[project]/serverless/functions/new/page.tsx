'use client';

import { NewFunction } from '@/components/functions/new-function';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** Creates a function from a template. */
export default function NewFunctionPage() {
  const { api } = useProject();
  const templates = api.useQuery('get', '/api/v1/functions/templates', {});
  const services = api.useQuery('get', '/api/v1/services/services');
  const query = {
    data: templates.data && services.data && { templates: templates.data, services: services.data },
    error: templates.error ?? services.error,
    refetch: () => Promise.all([templates.refetch(), services.refetch()]),
  };
  return (
    <Page title="Create function">
      <Loaded query={query} what="The templates" skeleton={<Skeleton className="h-96 w-full" />}>
        {(loaded) => {
          const service = loaded.services.find(({ id }) => id === 'functions');
          const unavailable = service?.status === 'unavailable' ? (service.status_reason ?? undefined) : undefined;
          return <NewFunction templates={loaded.templates} unavailable={unavailable} />;
        }}
      </Loaded>
    </Page>
  );
}
