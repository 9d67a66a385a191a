/** Former and current addresses of project pages. The first match wins. */
export const formerAddresses: readonly (readonly [former: string, current: string])[] = [
  ['instances', 'compute/instances'],
  ['flavors', 'compute/flavors'],
  ['images', 'compute/images'],
  ['key-pairs', 'compute/key-pairs'],
  ['networks/topology', 'network/topology'],
  ['networks', 'network/networks'],
  ['routers', 'network/routers'],
  ['ports', 'network/ports'],
  ['floating-ips', 'network/floating-ips'],
  ['security-groups', 'network/security-groups'],
  ['volumes', 'storage/volumes'],
  ['snapshots', 'storage/snapshots'],
  ['secrets', 'security/secrets'],
  ['policy', 'security/policy'],
  ['audit', 'security/audit'],
  ['users', 'project/users'],
  ['tokens', 'project/tokens'],
  ['identity-providers', 'project/identity-providers'],
  ['billing/details', 'project/billing-details'],
];

/** Redirects for bookmarks and links in old e-mails. Next keeps the query. */
export const redirects = formerAddresses.map(([former, current]) => ({
  source: `/projects/:project/${former}/:rest*`,
  destination: `/projects/:project/${current}/:rest*`,
  permanent: true,
}));
