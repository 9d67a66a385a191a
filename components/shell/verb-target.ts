import { useProject } from '@/lib/client/project';
import type { SearchResult } from './found';

/** The resource that verbs are offered for, as the API reads its type: only this one is requested. */
export function useTarget(target: SearchResult | undefined) {
  const { api } = useProject();
  const params = { params: { path: { id: target?.id ?? '' } } };
  const only = (type: string) => ({ enabled: target?.type === type });
  // The API has no path to one of these, or one by its name.
  const named = { params: { query: { search: target?.name } } };
  const byName = { params: { path: { name: target?.name ?? '' } } };
  return {
    instance: api.useQuery('get', '/api/v1/compute/instances/{id}', params, only('instance')).data,
    volume: api.useQuery('get', '/api/v1/storage/volumes/{id}', params, only('volume')).data,
    snapshot: api.useQuery('get', '/api/v1/storage/snapshots/{id}', params, only('snapshot')).data,
    image: api.useQuery('get', '/api/v1/images/images/{id}', params, only('image')).data,
    network: api.useQuery('get', '/api/v1/network/networks/{id}', params, only('network')).data,
    group: api.useQuery('get', '/api/v1/network/security-groups/{id}', params, only('security_group')).data,
    balancer: api.useQuery('get', '/api/v1/lbaas/loadbalancers/{id}', params, only('load_balancer')).data,
    route: api.useQuery('get', '/api/v1/gateway/routes/{id}', params, only('gateway_route')).data,
    certificate: api.useQuery('get', '/api/v1/gateway/certificates/{id}', params, only('certificate')).data,
    bucket: api.useQuery('get', '/api/v1/storage/buckets/{name}', byName, only('bucket')).data,
    function: api.useQuery('get', '/api/v1/functions/{id}', params, only('function')).data,
    layer: api.useQuery('get', '/api/v1/layers/{id}', params, only('layer')).data,
    list: {
      secrets: api.useQuery('get', '/api/v1/vault/secrets', named, only('secret')).data,
      floatingIps: api.useQuery('get', '/api/v1/network/floating-ips', named, only('floating_ip')).data,
      clusters: api.useQuery('get', '/api/v1/dbaas/clusters', named, only('database_cluster')).data,
    },
  };
}
