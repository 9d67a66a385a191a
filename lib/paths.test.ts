import { expect, test } from 'vitest';
import { paths, projectOf, safeBack } from './paths';

test('no address changes without this list changing', () => {
  expect({
    home: paths.home(),
    signIn: paths.signIn(),
    signInAndBack: paths.signIn('/projects/demo?status=active'),
    apiReference: paths.apiReference(),
    overview: paths.overview('demo'),
  }).toMatchInlineSnapshot(`
    {
      "apiReference": "/docs",
      "home": "/",
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
