import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSettings, SettingsError, settingNames } from './settings';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const messageOf = (env: Record<string, string>) => {
  try {
    parseSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('settings', () => {
  it('an empty environment gives a platform that only this machine can reach', () => {
    const s = parseSettings({});
    expect(s).toMatchObject({ host: '127.0.0.1', port: 3000, baseUrl: 'http://localhost:3000', databasePoolSize: 20 });
    expect(s.backofficeUrl).toBe('http://localhost:3000/admin');
    expect(s.databaseUrl).toBeUndefined();
    expect(s.trustedProxies).toEqual([]);
  });

  it('addresses use the configured port and have no trailing slash', () => {
    expect(parseSettings({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
    const s = parseSettings({ BASE_URL: 'https://cloud.example.org/' });
    expect([s.baseUrl, s.backofficeUrl]).toEqual(['https://cloud.example.org', 'https://cloud.example.org/admin']);
  });

  it('a back office with its own listener has its own address', () => {
    const s = parseSettings({ BACKOFFICE_LISTEN: '[::1]:3001' });
    expect([s.backofficeListen, s.backofficeUrl]).toEqual([{ host: '::1', port: 3001 }, 'http://localhost:3001']);
    expect(messageOf({ BACKOFFICE_LISTEN: '3001' })).toContain('BACKOFFICE_LISTEN: must be an IP address and a port');
  });

  it('one message names every wrong setting and how to fix it', () => {
    const message = messageOf({
      PORT: '70000',
      BASE_URL: 'ftp://x',
      DATABASE_URL: 'mysql://x',
      TRUSTED_PROXIES: '10.0.0.0/99',
      ADMIN_REQUIRE_TOTP: 'maybe',
      LOG_LEVEL: 'loud',
      HOST: 'nowhere.example',
      HOST_ID: 'a b',
      BOOTSTRAP_ADMIN_PASSWORD: 'short',
    });
    const lines = message.split('\n').slice(1);
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
      'HOST',
      'PORT',
      'BASE_URL',
      'DATABASE_URL',
      'BOOTSTRAP_ADMIN_PASSWORD',
      'TRUSTED_PROXIES',
      'LOG_LEVEL',
      'ADMIN_REQUIRE_TOTP',
      'HOST_ID',
    ]);
    expect(message).toContain('PORT: must be a port from 1 to 65535');
    expect(message).toContain('ADMIN_REQUIRE_TOTP: must be true or false');
  });

  it('a message about a wrong secret never shows the secret', () => {
    const message = messageOf({
      JWT_KEYS: 'a:hunter2',
      METRICS_TOKEN: 'hunter2',
      BOOTSTRAP_TENANT_PASSWORD: 'hunter2',
    });
    expect(message.match(/[A-Z_]+(?=:)/g)).toEqual(['BOOTSTRAP_TENANT_PASSWORD', 'JWT_KEYS', 'METRICS_TOKEN']);
    expect(message).not.toContain('hunter2');
  });

  it('keys keep their order: the first is the current one; ids are unique', () => {
    const { jwtKeys } = parseSettings({ JWT_KEYS: `new:${key(1)}, old:${key(2)}` });
    expect(jwtKeys?.map(({ id, secret }) => [id, secret.length, secret[0]])).toEqual([
      ['new', 32, 1],
      ['old', 32, 2],
    ]);
    expect(messageOf({ ENCRYPTION_KEYS: `a:${key(1)},a:${key(2)}` })).toContain('each id once');
    expect(messageOf({ ENCRYPTION_KEYS: 'a:c2hvcnQ' })).toContain('32 bytes in base64url');
    expect(messageOf({ ENCRYPTION_KEYS: ',' })).toContain('ENCRYPTION_KEYS');
  });

  it('an empty value counts as unset', () => {
    expect(parseSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  it('lists take addresses, ranges and host names', () => {
    const s = parseSettings({
      TRUSTED_PROXIES: '10.0.0.1, fd00::/8',
      ALLOW_PRIVATE_URLS: 'hooks.corp.example,10.0.0.0/8',
    });
    expect(s.trustedProxies).toEqual(['10.0.0.1', 'fd00::/8']);
    expect(s.allowPrivateUrls).toEqual(['hooks.corp.example', '10.0.0.0/8']);
  });

  it('an outside object store needs its address and keys, and is where browsers go by default', () => {
    const given = {
      S3_ENGINE: 'external',
      S3_EXTERNAL_URL: 'https://rgw.example.net/',
      S3_ADMIN_ACCESS_KEY: 'admin',
      S3_ADMIN_SECRET_KEY: 'hunter2',
    };
    expect(parseSettings(given).s3).toMatchObject({
      url: 'https://rgw.example.net',
      external: { origin: 'https://rgw.example.net', access_key: 'admin', secret: 'hunter2' },
    });
    expect(parseSettings({ ...given, S3_ENGINE: 'local' }).s3.external).toBeUndefined();
    expect(messageOf({ S3_ENGINE: 'external', S3_ADMIN_SECRET_KEY: 'hunter2' })).toMatch(
      /S3_EXTERNAL_URL: must be set.*S3_ADMIN_ACCESS_KEY: must be set/s,
    );
  });

  it('an outside Loki has an address and possibly a tenant', () => {
    expect(parseSettings({}).loki).toBeUndefined();
    expect(parseSettings({ LOKI_URL: 'https://loki.example.org/', LOKI_TENANT: 'cloud' }).loki).toEqual({
      url: 'https://loki.example.org',
      tenant: 'cloud',
    });
    expect(messageOf({ LOKI_URL: 'loki:3100', LOKI_TENANT: 'a\nb' })).toMatch(
      /LOKI_URL: must be.*LOKI_TENANT: must be/s,
    );
  });

  it('an outside Prometheus has an address, possibly with credentials', () => {
    expect(parseSettings({}).prometheusUrl).toBeUndefined();
    const url = 'https://user:password@prometheus.example.org';
    expect(parseSettings({ PROMETHEUS_URL: `${url}/` }).prometheusUrl).toBe(url);
    expect(messageOf({ PROMETHEUS_URL: 'prometheus:9090' })).toContain('PROMETHEUS_URL: must be');
  });

  it('an external account binding has both of its parts, or none', () => {
    expect(messageOf({ ACME_EAB_KEY_ID: 'kid-1' })).toContain('ACME_EAB_HMAC_KEY: must be set too');
    expect(messageOf({ ACME_EAB_HMAC_KEY: 'a2V5' })).toContain('ACME_EAB_KEY_ID: must be set too');
    expect(messageOf({ ACME_EAB_KEY_ID: 'kid-1', ACME_EAB_HMAC_KEY: 'a2V5' })).toBe('accepted');
  });

  it('the domain of tenants’ pages is another site than the portal’s, unless the operator allows it', () => {
    const portal = { BASE_URL: 'https://cloud.example.co.uk' };
    expect(messageOf({ ...portal, GATEWAY_DOMAIN: 'apps.example.co.uk' })).toContain(
      'GATEWAY_DOMAIN: must not be below example.co.uk',
    );
    expect(messageOf({ ...portal, GATEWAY_DOMAIN: 'apps.example.co.uk', GATEWAY_SAME_SITE: 'true' })).toBe('accepted');
    expect(messageOf({ ...portal, GATEWAY_DOMAIN: 'example-apps.co.uk' })).toBe('accepted');
    expect(messageOf({ BACKOFFICE_URL: 'https://office.a.github.io', GATEWAY_DOMAIN: 'apps.b.github.io' })).toBe(
      'accepted',
    );
    expect(messageOf({ ...portal, S3_DOMAIN: 's3.example.co.uk' })).toContain(
      'S3_DOMAIN: must not be below example.co.uk',
    );
    expect(messageOf({ GATEWAY_DOMAIN: 'apps.localhost' })).toBe('accepted');
  });

  it('.env.example lists every setting and nothing else', () => {
    const listed = [...readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(listed.toSorted()).toEqual(settingNames.filter((name) => name !== 'NODE_ENV').toSorted());
  });
});
