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
    keyPairs: paths.keyPairs('demo'),
    newKeyPair: paths.newKeyPair('demo'),
    instance: paths.instance('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
    instanceLog: paths.instanceLog('demo', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f'),
  }).toMatchInlineSnapshot(`
    {
      "apiReference": "/docs",
      "home": "/",
      "instance": "/projects/demo/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f",
      "instanceLog": "/projects/demo/instances/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f?tab=log",
      "instances": "/projects/demo/instances",
      "keyPairs": "/projects/demo/key-pairs",
      "newInstance": "/projects/demo/instances/new",
      "newKeyPair": "/projects/demo/key-pairs/new",
      "overview": "/projects/demo",
      "signIn": "/sign-in",
      "signInAndBack": "/sign-in?back=%2Fprojects%2Fdemo%3Fstatus%3Dactive",
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
