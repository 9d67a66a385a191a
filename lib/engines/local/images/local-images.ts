import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { EngineImage, ImageEngine, ImageFormat, ImageSource } from '@/lib/domains/images/engine';
import type { Settlement } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { Changes, type Tell } from '../changes';
import { allInstances } from '../compute/instance-record';
import { type Host, openToGuests, prepareHost } from '../host';
import { removePath, removeRecord, writeRecord } from '../record';
import { Slots } from '../slots';
import { readLayers } from '../storage/chain';
import { Turns } from '../turns';
import { buildTinyDisk, builtTinyDisk } from './build-tiny';
import { download } from './download';
import { inspectImage } from './inspect';
import { allImages, findImage, imageFile, imageRecordFile } from './store';

const FORMATS: readonly ImageFormat[] = ['QCOW2', 'RAW', 'ISO'];

/** How many images are fetched, built or verified at once. */
const ARRIVALS = 2;
const SOON_MS = 500;
const TRANSFER_MS = 1000;

type Arrival = Settlement<{ image: EngineImage }>;

/** Images as files of this host. */
export class LocalImages implements ImageEngine {
  private readonly turns = new Turns();
  private readonly slots = new Slots(ARRIVALS);
  private readonly arrivals = new Changes<{ image: EngineImage }>();
  private readonly removals = new Changes();

  constructor(private readonly host: Host) {}

  importImage(id: string, file: string, format: ImageFormat): Promise<Arrival> {
    return this.arrive(id, { format }, () => this.takeOver(id, file, format));
  }

  fetchImage(id: string, source: ImageSource): Promise<Arrival> {
    return this.arrive(id, source, async (tell) => {
      const part = join(await this.uploadDirectory(), `${id}.part`);
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
      const copy = join(await this.uploadDirectory(), `${id}.part`);
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

  async uploadDirectory(): Promise<string> {
    await prepareHost(this.host);
    return join(this.host.directory, 'uploads');
  }

  /** Makes an image that does not exist yet, when it is its turn. */
  private arrive(id: string, from: unknown, make: (tell: Tell) => Promise<EngineImage>): Promise<Arrival> {
    return this.arrivals.ask(id, JSON.stringify(from), (tell) =>
      this.turns.take(id, async () => {
        const known = await findImage(this.host, id);
        if (known) return { image: known };
        tell({ waits_for: 'Waiting for other images', again_ms: SOON_MS });
        return this.slots.take(async () => {
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
    // A file without a record is what a crash has left.
    for (const format of FORMATS) await removePath(imageFile(this.host, { id, format }));
    await removePath(join(await this.uploadDirectory(), `${id}.part`));
    return {};
  }

  private async takeOver(id: string, given: string, format: ImageFormat): Promise<EngineImage> {
    await prepareHost(this.host);
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
  await pipeline(createReadStream(file, { highWaterMark: 1024 ** 2 }), hash);
  return hash.digest('hex');
}
