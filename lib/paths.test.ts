import { expect, test } from 'vitest';
import { adminPaths, paths, projectOf, safeAdminBack, safeBack } from './paths';

const ID = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';

/** The builders that a list forgot. */
const missing = (builders: object, listed: object) => Object.keys(builders).filter((name) => !(name in listed));

test('no address changes without this list changing, and none is missing in it', () => {
  const listed = {
    home: paths.home(),
    signIn: paths.signIn(),
    signInAndBack: paths.signIn('/projects/demo?status=active'),
    apiReference: paths.apiReference(),
    overview: paths.overview('demo'),
    instances: paths.instances('demo'),
    newInstance: paths.newInstance('demo'),
    networks: paths.networks('demo'),
    newNetwork: paths.newNetwork('demo'),
    network: paths.network('demo', ID),
    topology: paths.topology('demo'),
    securityGroups: paths.securityGroups('demo'),
    newSecurityGroup: paths.newSecurityGroup('demo'),
    securityGroup: paths.securityGroup('demo', ID),
    floatingIps: paths.floatingIps('demo'),
    floatingIp: paths.floatingIps('demo', { search: '203.0.113.7' }),
    ports: paths.ports('demo'),
    port: paths.port('demo', ID),
    routers: paths.routers('demo'),
    router: paths.router('demo', ID),
    keyPairs: paths.keyPairs('demo'),
    newKeyPair: paths.newKeyPair('demo'),
    instance: paths.instance('demo', ID),
    instanceOverview: paths.instance('demo', ID, 'overview'),
    instanceLog: paths.instance('demo', ID, 'log'),
    instanceFromImage: paths.newInstance('demo', { image_id: '01940000-0000-7000-8000-000000000101' }),
    flavors: paths.flavors('demo'),
    images: paths.images('demo'),
    uploadImage: paths.uploadImage('demo'),
    image: paths.image('demo', '01940000-0000-7000-8000-000000000101'),
    volumes: paths.volumes('demo'),
    newVolume: paths.newVolume('demo'),
    volumeFromImage: paths.newVolume('demo', { image_id: '01940000-0000-7000-8000-000000000101' }),
    volume: paths.volume('demo', ID),
    volumeSnapshots: paths.volume('demo', ID, 'snapshots'),
    snapshots: paths.snapshots('demo'),
    newSnapshot: paths.newSnapshot('demo', { volume_id: ID }),
    secrets: paths.secrets('demo'),
    newSecret: paths.newSecret('demo'),
    account: paths.account('demo'),
    auditLog: paths.auditLog('demo'),
    policy: paths.policy('demo'),
    identityProviders: paths.identityProviders('demo'),
    exchange: paths.identityProviders('demo', { exchange: ID }),
    newIdentityProvider: paths.newIdentityProvider('demo'),
    tokens: paths.tokens('demo'),
    allTokens: paths.allTokens('demo'),
    newToken: paths.newToken('demo'),
    users: paths.users('demo'),
    newUser: paths.newUser('demo'),
  };
  expect(missing(paths, listed)).toEqual([]);
  expect(listed).toMatchInlineSnapshot(`
    {
      "account": "/projects/demo/account",
      "allTokens": "/projects/demo/tokens?of=all",
      "apiReference": "/docs",
      "auditLog": "/projects/demo/audit",
      "exchange": "/projects/demo/identity-providers?exchange=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "flavors": "/projects/demo/flavors",
      "floatingIp": "/projects/demo/floating-ips?search=203.0.113.7",
      "floatingIps": "/projects/demo/floating-ips",
      "home": "/",
      "identityProviders": "/projects/demo/identity-providers",
      "image": "/projects/demo/images/01940000-0000-7000-8000-000000000101",
      "images": "/projects/demo/images",
      "instance": "/projects/demo/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "instanceFromImage": "/projects/demo/instances/new?image_id=01940000-0000-7000-8000-000000000101",
      "instanceLog": "/projects/demo/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f?tab=log",
      "instanceOverview": "/projects/demo/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "instances": "/projects/demo/instances",
      "keyPairs": "/projects/demo/key-pairs",
      "network": "/projects/demo/networks/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "networks": "/projects/demo/networks",
      "newIdentityProvider": "/projects/demo/identity-providers/new",
      "newInstance": "/projects/demo/instances/new",
      "newKeyPair": "/projects/demo/key-pairs/new",
      "newNetwork": "/projects/demo/networks/new",
      "newSecret": "/projects/demo/secrets/new",
      "newSecurityGroup": "/projects/demo/security-groups/new",
      "newSnapshot": "/projects/demo/snapshots/new?volume_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "newToken": "/projects/demo/tokens/new",
      "newUser": "/projects/demo/users/new",
      "newVolume": "/projects/demo/volumes/new",
      "overview": "/projects/demo",
      "policy": "/projects/demo/policy",
      "port": "/projects/demo/ports/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "ports": "/projects/demo/ports",
      "router": "/projects/demo/routers/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "routers": "/projects/demo/routers",
      "secrets": "/projects/demo/secrets",
      "securityGroup": "/projects/demo/security-groups/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "securityGroups": "/projects/demo/security-groups",
      "signIn": "/sign-in",
      "signInAndBack": "/sign-in?back=%2Fprojects%2Fdemo%3Fstatus%3Dactive",
      "snapshots": "/projects/demo/snapshots",
      "tokens": "/projects/demo/tokens",
      "topology": "/projects/demo/networks/topology",
      "uploadImage": "/projects/demo/images/upload",
      "users": "/projects/demo/users",
      "volume": "/projects/demo/volumes/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "volumeFromImage": "/projects/demo/volumes/new?image_id=01940000-0000-7000-8000-000000000101",
      "volumeSnapshots": "/projects/demo/volumes/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f?tab=snapshots",
      "volumes": "/projects/demo/volumes",
    }
  `);
});

test('a page knows its project', () => {
  expect(projectOf('/projects/demo/secrets')).toBe('demo');
  expect(projectOf('/account')).toBeUndefined();
});

test.each([
  ['/projects/demo?status=active', '/projects/demo?status=active'],
  ['https://elsewhere.example/', '/'],
  ['//elsewhere.example/', '/'],
  ['/\\elsewhere.example/', '/'],
  ['/\t/elsewhere.example/', '/'],
  ['javascript:alert(1)', '/'],
  [null, '/'],
])('sign-in never leads off this site: %s', (back, address) => {
  expect(safeBack(back)).toBe(address);
});

test('no address of the back office changes without this list changing, and none is missing in it', () => {
  const listed = {
    home: adminPaths.home(),
    signIn: adminPaths.signIn('/admin'),
    signInAndBack: adminPaths.signIn('/admin/tenants?status=suspended'),
    requiredSecondFactor: adminPaths.requiredSecondFactor('/admin/users'),
    tenants: adminPaths.tenants(),
    suspendedTenants: adminPaths.tenants({ status: 'suspended' }),
    newTenant: adminPaths.newTenant(),
    tenant: adminPaths.tenant(ID),
    tenantLimits: adminPaths.tenantLimits(ID),
    users: adminPaths.users({ tenant_id: ID }),
    user: adminPaths.user(ID),
    administrators: adminPaths.administrators(),
    newAdministrator: adminPaths.newAdministrator(),
    audit: adminPaths.audit({ tenant_id: ID }),
    engines: adminPaths.engines(),
    operations: adminPaths.operations({ status: 'failed', tenant_id: undefined }),
    operation: adminPaths.operation(ID),
    account: adminPaths.account(),
  };
  expect(missing(adminPaths, listed)).toEqual([]);
  expect(listed).toMatchInlineSnapshot(`
    {
      "account": "/admin/account",
      "administrators": "/admin/administrators",
      "audit": "/admin/audit?tenant_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "engines": "/admin/engines",
      "home": "/admin",
      "newAdministrator": "/admin/administrators/new",
      "newTenant": "/admin/tenants/new",
      "operation": "/admin/operations/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "operations": "/admin/operations?status=failed",
      "requiredSecondFactor": "/admin/second-factor?back=%2Fadmin%2Fusers",
      "signIn": "/admin/sign-in",
      "signInAndBack": "/admin/sign-in?back=%2Fadmin%2Ftenants%3Fstatus%3Dsuspended",
      "suspendedTenants": "/admin/tenants?status=suspended",
      "tenant": "/admin/tenants/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "tenantLimits": "/admin/tenants/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f/limits",
      "tenants": "/admin/tenants",
      "user": "/admin/users/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "users": "/admin/users?tenant_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
    }
  `);
});

test.each([
  ['/admin/tenants?status=active', '/admin/tenants?status=active'],
  ['/projects/demo', '/admin'],
  ['/administrators-of-evil', '/admin'],
  ['//elsewhere.example/admin', '/admin'],
  [undefined, '/admin'],
])('sign-in to the back office leads nowhere else: %s', (back, address) => {
  expect(safeAdminBack(back)).toBe(address);
});
