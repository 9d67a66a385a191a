import { describe, expect, it } from 'vitest';
import { backofficeUrl, isAcmeChallenge, isApi, isBackoffice, plainPath } from './paths';

describe('paths', () => {
  it.each(['/admin', '/admin/', '/admin/x?y=1', '//admin', '/%61dmin/x', '/a/../admin/x', '/./admin', '/a\\..\\admin'])(
    'no spelling bypasses the rules of the back office: %s',
    (url) => expect(isBackoffice(plainPath(url) ?? '')).toBe(true),
  );

  it.each(['/administrators', '/docs/admin', '/api/v1/admin', '/?next=/admin'])(
    'a path that only resembles the back office is not part of it: %s',
    (url) => expect(isBackoffice(plainPath(url) ?? '')).toBe(false),
  );

  it('the API covers all of its addresses and no page', () => {
    expect(['/api/v1', '/api/v1/nothing', '/admin/api/v1/tenants'].filter(isApi)).toHaveLength(3);
    expect(['/api/auth/session', '/api/v10', '/admin/tenants', '/docs'].filter(isApi)).toEqual([]);
  });

  it('challenges of certificate authorities are answered below one folder only', () => {
    expect(isAcmeChallenge('/.well-known/acme-challenge/token')).toBe(true);
    expect(
      ['/.well-known/acme-challenge', '/.well-known/x', '/x/.well-known/acme-challenge/t'].some(isAcmeChallenge),
    ).toBe(false);
  });

  it.each(['/%E0%A4%A', '*', 'http://elsewhere/api/v1', ''])('has no plain form: %s', (url) =>
    expect(plainPath(url)).toBeUndefined(),
  );

  it('the API of a back office with its own address starts at the root', () => {
    expect(backofficeUrl('/api/v1/tenants/1/quota?x=1')).toBe('/admin/api/v1/tenants/1/quota?x=1');
    const pages = ['/', '/admin/tenants', '/_next/x.js'];
    expect(pages.map(backofficeUrl)).toEqual(pages);
  });
});
