import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { ImageFormat } from '@/lib/domains/images/engine';
import { run } from '../../local/exec';
import { untilSettled } from '../../until-settled';
import { bootDisc } from '../boot-disc';
import { type Subject, settleInstance, smallInstance } from '../subject';

const MIB = 1024 ** 2;

/** An empty QCOW2 disk of this size. */
async function emptyDisk(size: string): Promise<Buffer> {
  const file = join(tmpdir(), `${newId()}.qcow2`);
  try {
    await run(['qemu-img', 'create', '-q', '-f', 'qcow2', file, size]);
    return await readFile(file);
  } finally {
    await rm(file, { force: true });
  }
}

/** The contract of every image engine. */
export function imageSemantics(name: string, prepare: () => Promise<Subject>): void {
  describe(`image engine: ${name}`, { timeout: 180_000 }, () => {
    let subject: Subject;
    let mirror: Server;
    /** Sends the rest of a response that is held back. */
    let release = () => {};
    let requests: { range: string | undefined }[] = [];
    const content = randomBytes(4 * MIB);
    const sha256 = createHash('sha256').update(content).digest('hex');

    const images = () => subject.engine.images;
    /** Uploads an image, and waits until it is verified. */
    const take = async (id: string, bytes: Buffer, format: ImageFormat) => {
      await images().receiveImage(id, Readable.from([bytes]));
      return (await untilSettled(() => images().importImage(id, format))).image;
    };
    const known = async (id: string) => (await images().observeImages()).find((image) => image.id === id);
    const source = (path: string, hex = sha256) => {
      const address = mirror.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      return { url: `http://127.0.0.1:${port}${path}`, format: 'RAW', checksum: { algorithm: 'sha256', hex } } as const;
    };

    beforeAll(async () => {
      subject = await prepare();
      mirror = createServer((request, response) => {
        requests.push({ range: request.headers.range });
        const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
        response.writeHead(start > 0 ? 206 : 200, { 'content-length': content.length - start });
        if (request.url === '/breaks' && start === 0)
          response.write(content.subarray(0, MIB), () => response.destroy());
        else if (request.url === '/waits') {
          response.write(content.subarray(0, MIB));
          release = () => response.end(content.subarray(MIB));
        } else response.end(content.subarray(start));
      });
      await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    });

    afterAll(async () => {
      mirror.close();
      for (const { id } of await subject.engine.compute.observeInstances())
        await subject.engine.compute.removeInstance(id);
      for (const { id } of await images().observeImages()) await untilSettled(() => images().removeImage(id));
      expect(await subject.leftovers()).toEqual([]);
    });

    it('imports an upload once, with its size and checksum', async () => {
      const id = newId();
      const image = await take(id, content, 'RAW');
      expect(image).toEqual({ id, format: 'RAW', sizeBytes: 4 * MIB, virtualSizeBytes: 4 * MIB, sha256 });
      expect(await images().importImage(id, 'RAW')).toEqual({ settled: true, image });
      expect(await known(id)).toEqual(image);
      await untilSettled(() => images().removeImage(id));
      await untilSettled(() => images().removeImage(id));
      expect(await known(id)).toBeUndefined();
    });

    it('returns an image as the bytes that it received, and another engine accepts them', async () => {
      const [id, copy] = [newId(), newId()];
      const image = await take(id, content, 'RAW');
      expect(await images().receiveImage(copy, await images().readImage(id))).toEqual({ sizeBytes: 4 * MIB, sha256 });
      const imported = await untilSettled(() => images().importImage(copy, 'RAW'));
      expect(imported.image).toEqual({ ...image, id: copy });
      await expect(images().readImage(newId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('keeps nothing of an interrupted stream, and received bytes until they are imported or discarded', async () => {
      const [broken, kept] = [newId(), newId()];
      const cut = async function* () {
        yield content.subarray(0, MIB);
        throw new Error('the connection was cut');
      };
      await expect(images().receiveImage(broken, Readable.from(cut()))).rejects.toThrow('the connection was cut');
      await images().receiveImage(kept, Readable.from([content]));
      expect((await images().observeReceived()).map(({ id }) => id)).toEqual([kept]);
      await images().discardReceived(kept);
      expect(await images().observeReceived()).toEqual([]);
    });

    it('refuses a file that does not match its format, and keeps nothing of it', async () => {
      for (const [bytes, format] of [
        [content, 'QCOW2'],
        [content, 'ISO'],
        [content.subarray(0, 1000), 'RAW'],
        [Buffer.concat([Buffer.from('QFI\xfb', 'latin1'), content]), 'RAW'],
        [Buffer.alloc(0), 'RAW'],
      ] as const) {
        const id = newId();
        await expect(take(id, bytes, format)).rejects.toMatchObject({ code: 'INVALID' });
        expect(await known(id)).toBeUndefined();
      }
    });

    it('fetches an image, and resumes an interrupted transfer', async () => {
      const id = newId();
      requests = [];
      await expect(untilSettled(() => images().fetchImage(id, source('/breaks')))).rejects.toMatchObject({
        code: 'ENGINE_ERROR',
      });
      const { image } = await untilSettled(() => images().fetchImage(id, source('/breaks')));
      expect(image).toMatchObject({ sizeBytes: 4 * MIB, sha256 });
      expect(requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
    });

    it('answers soon while it fetches, with its progress, and fetches once, however often it is called', async () => {
      const id = newId();
      requests = [];
      const transfer = { receivedBytes: MIB, totalBytes: 4 * MIB };
      const ask = () => images().fetchImage(id, source('/waits'));
      await expect
        .poll(ask, { timeout: 30_000 })
        .toMatchObject({ settled: false, waits_for: expect.any(String), transfer });
      release();
      expect((await untilSettled(ask)).image).toMatchObject({ sizeBytes: 4 * MIB, sha256 });
      expect(requests).toHaveLength(1);
    });

    it('refuses an image with a different checksum', async () => {
      const id = newId();
      const wrong = source('/', '0'.repeat(64));
      await expect(untilSettled(() => images().fetchImage(id, wrong))).rejects.toMatchObject({ code: 'INVALID' });
      expect(await known(id)).toBeUndefined();
      await untilSettled(() => images().removeImage(id));
    });

    it('boots an ISO as a disc beside an empty disk, and keeps it while it is in use', async () => {
      const id = newId();
      await take(id, bootDisc('booted from the disc'), 'ISO');
      const spec = smallInstance(id, { ramMb: 64 });
      await settleInstance(subject.engine.compute, spec);
      const log = async () => (await subject.engine.compute.consoleLog(spec.id, 100)).output;
      await expect.poll(log, { timeout: 60_000 }).toContain('booted from the disc');
      await expect(untilSettled(() => images().removeImage(id))).rejects.toMatchObject({ code: 'IN_USE' });
    });

    it('refuses an instance whose disk is smaller than its image', async () => {
      const id = newId();
      await take(id, await emptyDisk('1025M'), 'QCOW2');
      const spec = smallInstance(id);
      await expect(settleInstance(subject.engine.compute, spec)).rejects.toMatchObject({ code: 'INVALID' });
      await subject.engine.compute.removeInstance(spec.id);
    });
  });
}
