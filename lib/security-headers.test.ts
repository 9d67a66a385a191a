import { expect, test } from 'vitest';
import { contentSecurityPolicy, securityHeaders } from './security-headers';

const policy = (host: string | null, development = false) =>
  new Map(
    contentSecurityPolicy({ nonce: 'abc', host, storage: 'https://s3.example', development })
      .split('; ')
      .map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
  );

test('only scripts with the nonce run, and none is inline or from another site', () => {
  expect(policy('cloud.example').get('script-src')).toEqual(["'nonce-abc'", "'strict-dynamic'"]);
  expect(policy('cloud.example', true).get('script-src')).toContain("'unsafe-eval'");
});

test('a page connects only to its own host, WebSockets included, and to object storage', () => {
  expect(policy('cloud.example:8443').get('connect-src')).toEqual([
    "'self'",
    'ws://cloud.example:8443',
    'wss://cloud.example:8443',
    'https://s3.example',
  ]);
});

test('a forged Host adds nothing to the policy', () => {
  for (const host of ['evil.example; script-src *', 'a b', '*', "x' 'unsafe-inline", null]) {
    const forged = policy(host);
    expect(forged.get('connect-src')).toEqual(["'self'", 'https://s3.example']);
    expect(forged.get('script-src')).toEqual(["'nonce-abc'", "'strict-dynamic'"]);
  }
});

test('no page can be framed, and HSTS is sent over https only', () => {
  expect(policy(null).get('frame-ancestors')).toEqual(["'none'"]);
  expect(securityHeaders(false).map(([name]) => name)).not.toContain('Strict-Transport-Security');
  expect(securityHeaders(true).map(([name]) => name)).toContain('Strict-Transport-Security');
});
