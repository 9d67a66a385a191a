import { chmodSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../exec';
import { describeHost, openToGuests } from '../host';
import { inspectImage } from './inspect';

const folder = mkdtempSync(join(tmpdir(), 'neph-inspect-'));
const host = describeHost({ dataDir: folder });
const file = (name: string) => join(folder, name);
const create = (name: string, ...args: string[]) =>
  run(['qemu-img', 'create', '-q', '-f', 'qcow2', ...args, file(name), '64M']);

/** Inspects as the engine does: with the file open to the confined process. */
async function inspect(name: string, format: 'QCOW2' | 'RAW' | 'ISO' = 'QCOW2') {
  await openToGuests(host, file(name), 0o440);
  return inspectImage(host, file(name), format);
}

function patch(name: string, offset: number, bytes: number[]) {
  const handle = openSync(file(name), 'r+');
  writeSync(handle, Buffer.from(bytes), 0, bytes.length, offset);
}

describe('a QCOW2 image that is handed in', () => {
  beforeAll(async () => {
    chmodSync(folder, 0o711);
    await writeFile(file('secret'), 'the secret of the host'.padEnd(512, '.'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('passes when it stands alone, whatever its compression', async () => {
    await create('plain');
    await create('zstd', '-o', 'compression_type=zstd,extended_l2=on');
    await create('old', '-o', 'compat=0.10');
    for (const name of ['plain', 'zstd', 'old'])
      expect(await inspect(name)).toEqual({ virtualSizeBytes: 64 * 1024 ** 2 });
  });

  it('is refused when it names a file of the host as its base', async () => {
    await create('backed', '-b', file('secret'), '-F', 'raw');
    await expect(inspect('backed')).rejects.toThrow('backing file');
    await create(
      'pseudo',
      '-u',
      '-b',
      `json:{"driver":"raw","file":{"driver":"file","filename":"${file('secret')}"}}`,
      '-F',
      'raw',
    );
    await expect(inspect('pseudo')).rejects.toThrow('backing file');
  });

  it('is refused when its data lies in a file of the host', async () => {
    await create('external', '-o', `data_file=${file('data')},data_file_raw=on`);
    await expect(inspect('external')).rejects.toThrow('external file');
    // The name alone, without the feature bit that would make it count.
    patch('external', 72, [0, 0, 0, 0, 0, 0, 0, 0]);
    await expect(inspect('external')).rejects.toThrow('another file');
  });

  it('is refused when it is encrypted, marked corrupt or of an unknown kind', async () => {
    await create('marked');
    patch('marked', 79, [0b10]);
    await expect(inspect('marked')).rejects.toThrow('corrupt');
    await create('future');
    patch('future', 72, [0x80]);
    await expect(inspect('future')).rejects.toThrow('unsupported');
    await create('locked');
    patch('locked', 35, [2]);
    await expect(inspect('locked')).rejects.toThrow('encrypted');
    await create('newest');
    patch('newest', 7, [4]);
    await expect(inspect('newest')).rejects.toThrow('version 4');
  });

  it('is refused when it claims a disk that no host has', async () => {
    await create('huge');
    patch('huge', 24, [0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00]);
    await expect(inspect('huge')).rejects.toMatchObject({ code: 'INVALID' });
    await run(['qemu-img', 'create', '-q', '-f', 'qcow2', file('large'), '3T']);
    await expect(inspect('large')).rejects.toThrow('at most 2 TB');
  });

  it('is refused when it is cut off or damaged', async () => {
    await create('short');
    await truncate(file('short'), 80);
    await expect(inspect('short')).rejects.toThrow('truncated');
    await create('damaged', '-o', 'preallocation=metadata');
    patch(
      'damaged',
      0x10000,
      Array.from({ length: 64 }, () => 0xff),
    );
    await expect(inspect('damaged')).rejects.toMatchObject({ code: 'INVALID' });
  });

  it('is refused as RAW, so that nobody uploads it under a name that hides what it is', async () => {
    await create('disguised');
    await expect(inspect('disguised', 'RAW')).rejects.toThrow('The file is QCOW2, not RAW');
  });
});
