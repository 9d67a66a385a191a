import { expect, test } from 'vitest';
import { adminPaths, paths, projectOf, safeAdminBack, safeBack } from './paths';

test('no address changes without this list changing', () => {
  expect({
    home: paths.home(),
    signIn: paths.signIn(),
    signInAndBack: paths.signIn('/projects/demo?status=active'),
    apiReference: paths.apiReference(),
    overview: paths.overview('demo'),
    instances: paths.instances('demo'),
    newInstance: paths.newInstance('demo'),
    networks: paths.networks('demo'),
    newNetwork: paths.newNetwork('demo'),
    network: paths.network('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    topology: paths.topology('demo'),
    securityGroups: paths.securityGroups('demo'),
    newSecurityGroup: paths.newSecurityGroup('demo'),
    securityGroup: paths.securityGroup('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    floatingIps: paths.floatingIps('demo'),
    floatingIp: paths.floatingIps('demo', { search: '203.0.113.7' }),
    ports: paths.ports('demo'),
    port: paths.port('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    routers: paths.routers('demo'),
    router: paths.router('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    keyPairs: paths.keyPairs('demo'),
    newKeyPair: paths.newKeyPair('demo'),
    instance: paths.instance('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    instanceOverview: paths.instance('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', 'overview'),
    instanceLog: paths.instance('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', 'log'),
    instanceFromImage: paths.newInstance('demo', { image_id: '01940000-0000-7000-8000-000000000101' }),
    flavors: paths.flavors('demo'),
    images: paths.images('demo'),
    uploadImage: paths.uploadImage('demo'),
    image: paths.image('demo', '01940000-0000-7000-8000-000000000101'),
    volumes: paths.volumes('demo'),
    newVolume: paths.newVolume('demo'),
    volumeFromImage: paths.newVolume('demo', { image_id: '01940000-0000-7000-8000-000000000101' }),
    volume: paths.volume('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    volumeSnapshots: paths.volume('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', 'snapshots'),
    snapshots: paths.snapshots('demo'),
    newSnapshot: paths.newSnapshot('demo', { volume_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' }),
  }).toMatchInlineSnapshot(`
    {
      "apiReference": "/docs",
      "flavors": "/projects/demo/flavors",
      "floatingIp": "/projects/demo/floating-ips?search=203.0.113.7",
      "floatingIps": "/projects/demo/floating-ips",
      "home": "/",
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
      "newInstance": "/projects/demo/instances/new",
      "newKeyPair": "/projects/demo/key-pairs/new",
      "newNetwork": "/projects/demo/networks/new",
      "newSecurityGroup": "/projects/demo/security-groups/new",
      "newSnapshot": "/projects/demo/snapshots/new?volume_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "newVolume": "/projects/demo/volumes/new",
      "overview": "/projects/demo",
      "port": "/projects/demo/ports/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "ports": "/projects/demo/ports",
      "router": "/projects/demo/routers/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "routers": "/projects/demo/routers",
      "securityGroup": "/projects/demo/security-groups/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "securityGroups": "/projects/demo/security-groups",
      "signIn": "/sign-in",
      "signInAndBack": "/sign-in?back=%2Fprojects%2Fdemo%3Fstatus%3Dactive",
      "snapshots": "/projects/demo/snapshots",
      "topology": "/projects/demo/networks/topology",
      "uploadImage": "/projects/demo/images/upload",
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

test('no address of the back office changes without this list changing', () => {
  const id = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';
  expect([
    adminPaths.home(),
    adminPaths.signIn('/admin'),
    adminPaths.signIn('/admin/tenants?status=suspended'),
    adminPaths.requiredSecondFactor('/admin/users'),
    adminPaths.tenants(),
    adminPaths.tenants({ status: 'suspended' }),
    adminPaths.newTenant(),
    adminPaths.tenant(id),
    adminPaths.tenantLimits(id),
    adminPaths.users({ tenant_id: id }),
    adminPaths.user(id),
    adminPaths.administrators(),
    adminPaths.newAdministrator(),
    adminPaths.audit({ tenant_id: id }),
    adminPaths.engines(),
    adminPaths.operations({ status: 'failed', tenant_id: undefined }),
    adminPaths.operation(id),
    adminPaths.account(),
  ]).toMatchInlineSnapshot(`
    [
      "/admin",
      "/admin/sign-in",
      "/admin/sign-in?back=%2Fadmin%2Ftenants%3Fstatus%3Dsuspended",
      "/admin/second-factor?back=%2Fadmin%2Fusers",
      "/admin/tenants",
      "/admin/tenants?status=suspended",
      "/admin/tenants/new",
      "/admin/tenants/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "/admin/tenants/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f/limits",
      "/admin/users?tenant_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "/admin/users/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "/admin/administrators",
      "/admin/administrators/new",
      "/admin/audit?tenant_id=01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "/admin/engines",
      "/admin/operations?status=failed",
      "/admin/operations/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "/admin/account",
    ]
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
