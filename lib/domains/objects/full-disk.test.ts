import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { now } from '@/lib/clock';
import { testDatabase } from '@/lib/testing/database';
import { createBucket } from '@/lib/testing/domains/objects';
import { createPair, objectWorld, type Pair } from '@/lib/testing/object-world';
import { api, createProject } from '@/lib/testing/world';
import { presign } from './s3/signature';

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'nephele-full-'));
/** A small disk that can be filled safely, with 48 MB above the operator's floor; needs root. */
const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1072m', 'tmpfs', folder]).status === 0;
cpSync(join(inject('dataDir'), 'keys'), join(folder, 'keys'), { recursive: true });
Object.assign(process.env, { DATA_DIR: folder, DISK_FLOOR_GB: '1' });
afterAll(() => {
  if (hasDisk) spawnSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(hasDisk)('a full disk', () => {
  testDatabase();
  const call = api();
  const world = objectWorld();
  let pair: Pair;
  let bucket: string;
  const filler = join(folder, 'filler');
  const fill = (mib: number) => spawnSync('fallocate', ['-l', String(mib * MIB), filler]);
  const files = (of: string) => readdirSync(join(folder, 'objects', of), { recursive: true, withFileTypes: true });

  beforeAll(async () => {
    const acme = await createProject('acme');
    pair = await createPair(acme, call);
    bucket = await createBucket(acme, call);
  });

  /** An upload of so many bytes that calls back in the middle. */
  function upload(key: string, size: number, inTheMiddle: () => void): Promise<{ status: number; text: string }> {
    const url = presign({
      ...{ origin: world.url, path: `/${bucket}/${key}`, method: 'PUT', query: {}, headers: {}, region: 'us-east-1' },
      ...{ accessKey: pair.access_key, secret: pair.secret_key, at: now(), expiresIn: 60 },
    });
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'PUT', headers: { 'Content-Length': size } }, async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
      // The answer comes before everything is sent.
      sent.on('error', (error) => (sent.destroyed ? undefined : reject(error)));
      sent.write(Buffer.alloc(size / 2), () => {
        inTheMiddle();
        sent.end(Buffer.alloc(size / 2));
      });
    });
  }

  test('refuses before the first byte what does not fit, and what no longer fits in the middle; what was there stays', async () => {
    const s3 = world.client(pair);
    const kept = Buffer.alloc(5 * MIB, 'kept');
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'kept', Body: kept }));
    const before = files('').filter((entry) => entry.isFile()).length;

    const large = s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'large', Body: Buffer.alloc(60 * MIB) }));
    await expect(large).rejects.toMatchObject({ name: 'InsufficientStorage', $metadata: { httpStatusCode: 507 } });

    const refused = await upload('caught', 24 * MIB, () => fill(1044));
    expect(refused).toEqual({ status: 507, text: expect.stringContaining('<Code>InsufficientStorage</Code>') });
    expect(files('tmp')).toEqual([]);
    expect(files('').filter((entry) => entry.isFile())).toHaveLength(before);

    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'kept' }));
    expect(kept.equals((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(true);
    await expect(s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'caught' }))).rejects.toThrow(/not exist/);
  });

  test('takes objects again once there is room', async () => {
    rmSync(filler);
    expect(await upload('caught', 24 * MIB, () => {})).toMatchObject({ status: 200 });
  });
});
