import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EngineImage, ImageEngine, ImageFormat, ImageSource, ReceivedImage } from '@/lib/domains/images/engine';
import { storeStream } from '@/lib/files';
import type { Settlement } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { Changes, type Tell } from '../changes';
import { allInstances } from '../compute/instance-record';
import { type Host, openToGuests, prepareHost } from '../host';
import { namesIn, removePath, removeRecord, writeRecord } from '../record';
import { Slots } from '../slots';
import { readLayers } from '../storage/chain';
import { Turns } from '../turns';
import { buildTinyDisk, builtTinyDisk } from './build-tiny';
import { download } from './download';
import { inspectImage } from './inspect';
import { allImages, findImage, imageFile, imageRecordFile, requireImage } from './store';

const FORMATS: readonly ImageFormat[] = ['QCOW2', 'RAW', 'ISO'];

/** Images that are fetched, built or verified at the same time: each keeps a disk or a processor busy. */
const ARRIVALS = 2;
const READ_BYTES = 1024 ** 2;
const SOON_MS = 500;
const TRANSFER_MS = 1000;

const receivedDirectory = (host: Host) => join(host.directory, 'uploads');
const receivedFile = (host: Host, id: string) => join(receivedDirectory(host), `${id}.part`);
const isDiskFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

type Arrival = Settlement<{ image: EngineImage }>;

/** Images as files of this host. */
export class LocalImages implements ImageEngine {
  private readonly turns = new Turns();
  private readonly slots = new Slots(ARRIVALS);
  private readonly arrivals = new Changes<{ image: EngineImage }>();
  private readonly removals = new Changes();

  constructor(private readonly host: Host) {}

  async receiveImage(id: string, bytes: Readable): Promise<ReceivedImage> {
    const file = receivedFile(this.host, id);
    try {
      await prepareHost(this.host);
      return await storeStream(bytes, file, { flags: 'w' });
    } catch (error) {
      bytes.destroy();
      await removePath(file);
      if (isDiskFull(error)) throw new EngineError('CAPACITY_EXHAUSTED', 'The disk is full.', { cause: error });
      throw error;
    }
  }

  async discardReceived(id: string): Promise<void> {
    await removePath(receivedFile(this.host, id));
  }

  async observeReceived(): Promise<{ id: string; writtenAt: Date }[]> {
    const found = (await namesIn(receivedDirectory(this.host))).map(async (name) => {
      const file = await stat(join(receivedDirectory(this.host), name)).catch(() => null);
      return file ? [{ id: name.replace(/\.part$/, ''), writtenAt: file.mtime }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  importImage(id: string, format: ImageFormat): Promise<Arrival> {
    return this.arrive(id, { format }, () => this.takeOver(id, receivedFile(this.host, id), format));
  }

  async readImage(id: string): Promise<Readable> {
    const image = await requireImage(this.host, id);
    return (await open(imageFile(this.host, image))).createReadStream({ highWaterMark: READ_BYTES });
  }

  fetchImage(id: string, source: ImageSource): Promise<Arrival> {
    return this.arrive(id, source, async (tell) => {
      const part = receivedFile(this.host, id);
      const file = await download(this.host, part, source, (receivedBytes, totalBytes) => {
        const share = totalBytes ? `: ${Math.floor((100 * receivedBytes) / totalBytes)}%` : '';
        tell({ waits_for: `Downloading${share}`, again_ms: TRANSFER_MS, transfer: { receivedBytes, totalBytes } });
      });
      tell({ waits_for: 'Verifying the image', again_ms: SOON_MS });
      return this.takeOver(id, file, source.format);
    });
  }

  buildTinyImage(id: string): Promise<Arrival> {
    return this.arrive(id, 'tiny', async () => {
      const disk = await this.turns.take('tiny', async () => {
        const built = await builtTinyDisk(this.host.cacheDir);
        return built ?? buildTinyDisk(this.host.cacheDir);
      });
      const copy = receivedFile(this.host, id);
      await copyFile(disk, copy);
      return this.takeOver(id, copy, 'QCOW2');
    });
  }

  removeImage(id: string): Promise<Settlement> {
    return this.removals.ask(id, 'removed', () => this.turns.take(id, () => this.remove(id)));
  }

  async observeImages(): Promise<EngineImage[]> {
    return [...(await allImages(this.host)).values()];
  }

  /** Makes an image that does not exist yet, when it is its turn. */
  private arrive(id: string, from: unknown, make: (tell: Tell) => Promise<EngineImage>): Promise<Arrival> {
    return this.arrivals.ask(id, JSON.stringify(from), (tell) =>
      this.turns.take(id, async () => {
        const known = await findImage(this.host, id);
        if (known) return { image: known };
        tell({ waits_for: 'Waiting for other images', again_ms: SOON_MS });
        return this.slots.take(async () => {
          await prepareHost(this.host);
          tell({ waits_for: 'Preparing the image', again_ms: SOON_MS });
          return { image: await make(tell) };
        });
      }),
    );
  }

  private async remove(id: string): Promise<object> {
    const image = await findImage(this.host, id);
    if (image) await this.requireUnused(image);
    await removeRecord(imageRecordFile(this.host, id));
    // A crash leaves a file without a record.
    for (const format of FORMATS) await removePath(imageFile(this.host, { id, format }));
    await this.discardReceived(id);
    return {};
  }

  private async takeOver(id: string, given: string, format: ImageFormat): Promise<EngineImage> {
    // A crash between the last two steps has left it in its place already, and nothing of it where it was given.
    const placed = imageFile(this.host, { id, format });
    const file = !existsSync(given) && existsSync(placed) ? placed : given;
    try {
      await openToGuests(this.host, file, 0o440);
      const { virtualSizeBytes } = await inspectImage(this.host, file, format);
      const image = { id, format, sizeBytes: (await stat(file)).size, virtualSizeBytes, sha256: await digest(file) };
      await rename(file, placed);
      await writeRecord(imageRecordFile(this.host, id), image);
      return image;
    } catch (error) {
      if (error instanceof EngineError && error.code === 'INVALID') await removePath(file);
      throw error;
    }
  }

  private async requireUnused(image: EngineImage): Promise<void> {
    const instances = [...(await allInstances(this.host)).values()].filter(({ disk }) => disk.imageId === image.id);
    const file = imageFile(this.host, image);
    const layers = [...(await readLayers(this.host)).values()].filter(({ base }) => base?.file === file);
    if (instances.length + layers.length === 0) return;
    throw new EngineError(
      'IN_USE',
      `${instances.length} instances and ${layers.length} volumes depend on this image: delete them first.`,
    );
  }
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), hash);
  return hash.digest('hex');
}
