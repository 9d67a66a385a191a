import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { readForm } from '@/lib/core/api/form';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { settings } from '@/lib/settings';
import type { ReceivedImage } from './engine';

/** Interval between checks for free disk space. */
const LOOK_BYTES = 256 * 1024 ** 2;

/** The image that an upload becomes, and its cell. */
type Target = { id: string; cell: string };

/** The fields of a form, by name. */
export type FormFields = Record<string, string>;

/**
 * Streams an upload of any size to the engine, no faster than it takes the bytes; an interrupted upload leaves nothing.
 * @returns what the engine received, and the other fields of a form
 * @throws ApiError 400 for a broken or empty upload, 413, 503 when the disk is full
 */
export async function receive(
  upload: Upload,
  target: Target,
  signal: AbortSignal,
): Promise<{ received: ReceivedImage; fields: FormFields }> {
  try {
    await requireRoom(target.cell, upload.content_length ?? 0);
    const isForm = upload.content_type.toLowerCase().startsWith('multipart/');
    const arrived = isForm
      ? await receiveForm(upload, target, signal)
      : { received: await send(Readable.from(upload.stream), target, signal), fields: {} };
    if (arrived.received.sizeBytes === 0) throw invalid('file: must not be empty.');
    return arrived;
  } catch (error) {
    await engineOf(target.cell).images.discardReceived(target.id);
    throw refusalOf(error, signal);
  }
}

async function receiveForm(upload: Upload, target: Target, signal: AbortSignal) {
  const fields: FormFields = {};
  const rules = {
    file: 'file',
    fields: 10,
    fieldBytes: 4096,
    onField: (name: string, value: string) => {
      fields[name] = value;
    },
    receive: (content: Readable, ended: AbortSignal) => send(content, target, ended),
  };
  const received = await readForm(upload, rules, signal);
  if (!received) throw invalid('file: is required.');
  return { received, fields };
}

async function send(content: Readable, { id, cell }: Target, signal: AbortSignal): Promise<ReceivedImage> {
  const most = settings().imageMaxBytes;
  let size = 0;
  let looked = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      size += chunk.byteLength;
      if (size > most) return pass(new ApiError('PAYLOAD_TOO_LARGE', `The image is larger than ${most} bytes.`));
      if (size - looked < LOOK_BYTES) return pass(null, chunk);
      looked = size;
      requireRoom(cell, LOOK_BYTES).then(() => pass(null, chunk), pass);
    },
  });
  const received = engineOf(cell).images.receiveImage(id, meter);
  received.catch((error) => meter.destroy(error));
  // A failing source destroys the meter, and so the engine sees the failure.
  await Promise.allSettled([pipeline(content, meter, { signal }), received]);
  return received;
}

async function requireRoom(cell: string, bytes: number): Promise<void> {
  const { diskBytes } = await engineOf(cell).compute.capacity();
  if (diskBytes.free < Math.max(bytes, 1)) throw full();
}

const full = () => new ApiError('CAPACITY_EXHAUSTED', 'The host has no disk space for this image.');

function refusalOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof EngineError) {
    if (error.code === 'CAPACITY_EXHAUSTED') return full();
    return new ApiError('ENGINE_UNAVAILABLE', error.message, { cause: error });
  }
  // Nobody reads this: the caller has gone. It is no failure of ours.
  if (signal.aborted) return invalid('The upload was interrupted.');
  return error;
}
