import { describe, expect, test } from 'vitest';
import { guessFormat, guessName } from './guess';
import { whyNotDelete, whyNotUse } from './image-can';
import { imageStatus } from './image-look';
import { remainingSeconds, speedOf } from './upload-speed';

const idle = { status: 'active', visibility: 'private', instance_count: 0, volume_count: 0 } as const;

describe('deleting an image', () => {
  test('is possible for the project’s own unused images', () => {
    expect(whyNotDelete(idle)).toBeUndefined();
    expect(whyNotDelete({ ...idle, status: 'error' })).toBeUndefined();
  });
  test('names what uses it', () => {
    expect(whyNotDelete({ ...idle, instance_count: 2, volume_count: 1 })).toContain('2 instances and 1 volume');
  });
  test('is impossible for a certified image', () => {
    expect(whyNotDelete({ ...idle, visibility: 'public' })).toMatch(/Certified/);
  });
});

test('an image that is still being fetched can be used: new resources wait for it', () => {
  expect(whyNotUse({ ...idle, status: 'queued' })).toBeUndefined();
  expect(whyNotUse({ ...idle, status: 'error' })).toBeDefined();
});

test.each([
  ['queued', 'public', null, 'on_demand'],
  ['importing', 'public', null, 'building'],
  ['importing', 'public', 100, 'fetching'],
  ['importing', 'private', 100, 'verifying'],
  ['active', 'private', 100, 'active'],
] as const)('an image that is %s and %s with size %s reads as %s', (status, visibility, size_bytes, read) => {
  expect(imageStatus({ status, visibility, size_bytes })).toBe(read);
});

describe('the format of a file', () => {
  const file = (name: string, ...parts: BlobPart[]) => new File(parts, name);
  test('is what its bytes say, whatever it is called', async () => {
    expect(await guessFormat(file('disk.img', 'QFI\u00fb'))).toEqual({ kind: 'unknown', format: 'RAW' });
    expect(await guessFormat(file('disk.img', new Uint8Array([0x51, 0x46, 0x49, 0xfb, 0, 0, 0, 3])))).toEqual({
      kind: 'known',
      format: 'QCOW2',
    });
    const disc = new Uint8Array(40_000);
    disc.set(new TextEncoder().encode('CD001'), 32_769);
    expect(await guessFormat(file('install.bin', disc))).toEqual({ kind: 'known', format: 'ISO' });
  });
  test('is guessed from the name where the bytes say nothing', async () => {
    expect(await guessFormat(file('disk.qcow2', 'text'))).toEqual({ kind: 'unknown', format: 'QCOW2' });
    expect(await guessFormat(file('install.ISO', 'text'))).toEqual({ kind: 'unknown', format: 'ISO' });
    expect(await guessFormat(file('disk', 'text'))).toEqual({ kind: 'unknown', format: 'RAW' });
  });
  test.each([
    ['disk.raw.xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
    ['disk.gz', [0x1f, 0x8b, 8]],
    ['disk.zst', [0x28, 0xb5, 0x2f, 0xfd]],
  ])('says of %s that it is packed', async (name, bytes) => {
    expect(await guessFormat(file(name, new Uint8Array(bytes)))).toMatchObject({ kind: 'packed' });
  });
});

test('an image is named after its file, without what every file name has', () => {
  expect(guessName('debian-12-genericcloud-amd64.qcow2')).toBe('debian-12-genericcloud-amd64');
  expect(guessName('My disk.raw.img')).toBe('My disk.raw');
  expect(guessName('.img')).toBe('');
});

describe('an upload’s speed', () => {
  const samples = [
    { at: 0, sent: 0 },
    { at: 4000, sent: 40 },
    { at: 8000, sent: 120 },
  ];
  test('is that of the last seconds', () => {
    expect(speedOf(samples)).toBe(20);
    expect(speedOf(samples.slice(0, 1))).toBeUndefined();
  });
  test('tells how long the rest takes', () => {
    expect(remainingSeconds({ sent: 120, total: 220, speed: 20 })).toBe(5);
    expect(remainingSeconds({ sent: 0, total: 220, speed: undefined })).toBeUndefined();
  });
});
