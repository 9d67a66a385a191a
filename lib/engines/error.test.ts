import { expect, test } from 'vitest';
import { detailOf, EngineError, withoutHostPaths } from './error';
import { run } from './local/exec';

test.each([
  [
    "Could not open '/var/lib/nephele/engine/images/a.qcow2': No such file",
    "Could not open '[host file]': No such file",
  ],
  ['"/srv/my data/x.qcow2" is locked', '"[host file]" is locked'],
  ['cannot pass through /root: set DATA_DIR.', 'cannot pass through [host file]: set DATA_DIR.'],
  ['/proc/self/fd/3, /dev/net/tun and /data-1/.cache/x.', '[host file], [host file] and [host file].'],
  ['file=/a/b,format=qcow2 (/tmp/c)', 'file=[host file],format=qcow2 ([host file])'],
])('a message names no file of the host: %s', (text, shown) => {
  expect(withoutHostPaths(text)).toBe(shown);
});

test.each([
  'https://cloud-images.ubuntu.com/releases/noble/SHA256SUMS could not be fetched',
  '10.0.0.0/24 or a /29 of 2001:db8::/32',
  'read/write and 3/4 of it',
  'It has 12 MB of memory left. Ask for less.',
])('a message without file names stays unchanged: %s', (text) => {
  expect(withoutHostPaths(text)).toBe(text);
});

test('a failed program shows its reason without paths and arguments, and keeps both for administrators', async () => {
  const failed = await run(['sh', '-c', 'echo "cannot open $0" >&2; exit 3', '/var/lib/secret/disk']).catch(
    (error) => error,
  );
  expect(failed).toBeInstanceOf(EngineError);
  expect(failed.message).toBe('A program on the host failed: cannot open [host file]');
  expect(detailOf(failed)).toMatch(/^sh -c .* \/var\/lib\/secret\/disk: cannot open \/var\/lib\/secret\/disk$/);
});
