import { expect, test } from 'vitest';
import { whyNoPort } from './why-no-port';

test('a project network can be chosen unless the project has none, or networks are not available', () => {
  expect(whyNoPort({ status: 'available' }, 1)).toBeUndefined();
  expect(whyNoPort(undefined, undefined)).toBeUndefined();
  expect(whyNoPort({ status: 'degraded', status_reason: 'Slow.' }, 2)).toBeUndefined();
  expect(whyNoPort({ status: 'available' }, 0)).toBe('The project has no network. Create one first.');
  expect(whyNoPort({ status: 'unavailable', status_reason: 'Install nftables.' }, 1)).toBe('Install nftables.');
  expect(whyNoPort({ status: 'unavailable', status_reason: null }, 1)).toBe('Networks are not available at present.');
});
