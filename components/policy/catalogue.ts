import { useQuery } from '@tanstack/react-query';

/** One endpoint of the tenant API, as the reference has it. */
export interface CatalogueEntry {
  method: string;
  path: string;
  summary: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Document = { paths: Record<string, Partial<Record<(typeof METHODS)[number], { summary: string }>>> };

/** All endpoints that a tenant may call, from the platform's own OpenAPI document. It changes with a release only. */
export function useCatalogue() {
  return useQuery({
    queryKey: ['openapi'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<CatalogueEntry[]> => {
      const response = await fetch('/api/v1/openapi.json', { signal });
      const document: Document = await response.json();
      return Object.entries(document.paths)
        .filter(([path]) => path.startsWith('/api/v1/'))
        .flatMap(([path, operations]) =>
          METHODS.flatMap((method) => {
            const operation = operations[method];
            return operation ? [{ method: method.toUpperCase(), path, summary: operation.summary }] : [];
          }),
        );
    },
  });
}
