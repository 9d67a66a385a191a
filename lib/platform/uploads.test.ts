import { expect, test } from 'vitest';
import { isLargeUpload } from './uploads';

test('only endpoints for large files get extra time for a body', () => {
  expect(isLargeUpload('POST', '/api/v1/images/images')).toBe(true);
  expect(isLargeUpload('GET', '/api/v1/images/images')).toBe(false);
  expect(isLargeUpload('POST', '/api/v1/vault/secrets')).toBe(false);
  expect(isLargeUpload('POST', '/api/v1/billing/webhooks/stripe')).toBe(false);
  expect(isLargeUpload('POST', '/api/v1/images/images/x')).toBe(false);
});
