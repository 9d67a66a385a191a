import { expect, test, vi } from 'vitest';

test('the OpenID library loads without a warning on every supported version of Node', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await import('./library');
  expect(warn).not.toHaveBeenCalled();
  console.warn('shown');
  expect(warn).toHaveBeenCalledWith('shown');
  warn.mockRestore();
});
