import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetSettings } from '@/lib/settings';
import { hostKind } from './hosts';

const own = {
  BASE_URL: 'https://portal.example.com',
  BACKOFFICE_URL: 'https://office.example.com',
  S3_DOMAIN: 's3.example.net',
  ALLOW_UNVERIFIED_HOSTS: 'true',
};
beforeAll(() => {
  Object.assign(process.env, own);
  forgetSettings();
});
afterAll(() => {
  for (const name of Object.keys(own)) delete process.env[name];
  forgetSettings();
});

test.each([
  'portal.example.com',
  'a.portal.example.com',
  'office.example.com',
  's3.example.net',
  'bucket.s3.example.net',
])('%s is the platform’s, also where hosts need no proof', (host) => {
  expect(() => hostKind('acme', host)).toThrow('belongs to the platform');
});

test('other hosts beside them are the project’s to prove', () => {
  for (const host of ['www.example.com', 'mys3.example.net']) expect(hostKind('acme', host)).toBe('outside');
});
