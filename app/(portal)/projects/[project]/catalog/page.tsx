'use client';

import { type Service, ServiceCard } from '@/components/inventory/service-card';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

const categories: Readonly<Record<Service['category'], string>> = {
  compute: 'Compute',
  networking: 'Networking',
  storage: 'Storage',
  databases: 'Databases',
  serverless: 'Serverless',
  ai: 'AI',
  observability: 'Observability',
  security: 'Security',
};

/** The services of the platform: their prices, and which of them the project uses. */
export default function CatalogPage() {
  const { project, api } = useProject();
  const services = api.useQuery('get', '/api/v1/services/services');
  const pricing = api.useQuery('get', '/api/v1/billing/pricing');
  const rates = pricing.data?.items ?? [];
  return (
    <Page title="Catalog" description="The services of this platform, their prices, and what this project uses.">
      <Loaded query={services} what="The catalog" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(all) => (
          <div className="space-y-8">
            {Object.entries(categories).map(([category, label]) => {
              const some = all.filter((service) => service.category === category);
              if (some.length === 0) return null;
              return (
                <section key={category} aria-label={label}>
                  <p className="mb-3 font-medium text-ink-muted text-sm">{label}</p>
                  <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
                    {some.map((service) => (
                      <ServiceCard key={service.id} service={service} rates={rates} project={project.slug} />
                    ))}
                  </div>
                </section>
              );
            })}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
