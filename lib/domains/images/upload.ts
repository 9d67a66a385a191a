import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Upload } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { engineOf } from '@/lib/engines/engines';
import { EngineError, reasonOf } from '@/lib/engines/error';
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
  const broken = new AbortController();
  let sending: Promise<ReceivedImage> | undefined;
  let problem: unknown;
  const ended = AbortSignal.any([signal, broken.signal]);
  const parser = openForm(upload.content_type);
  parser.on('field', (name, value) => {
    fields[name] = value;
  });
  parser.on('file', (name, content) => {
    if (name !== 'file' || sending) {
      problem = invalid(`${name.slice(0, 80)}: the form may contain only one file, named "file".`);
      // Ending the parser ends this part with an error, which nobody else takes.
      content.on('error', () => {}).resume();
      broken.abort();
      return;
    }
    // The parser never ends a file that begins after the form was refused: the signal does.
    sending = send(content, target, ended);
    // Without anyone who takes them the parser would wait for its bytes to go.
    sending.catch((error) => {
      problem ??= error;
      broken.abort();
    });
  });
  try {
    await pipeline(Readable.from(upload.stream), parser, { signal: ended });
  } catch (error) {
    await sending?.catch(() => {});
    if (broken.signal.aborted && isAbort(error)) throw problem;
    if (error instanceof ApiError || signal.aborted) throw error;
    throw invalid(`The form is malformed: ${reasonOf(error)}.`);
  }
  if (!sending) throw invalid('file: is required.');
  return { received: await sending, fields };
}

function openForm(contentType: string): busboy.Busboy {
  try {
    return busboy({ headers: { 'content-type': contentType }, limits: { fields: 10, fieldSize: 4096, parts: 12 } });
  } catch (error) {
    throw invalid(`The form is malformed: ${reasonOf(error)}.`);
  }
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
const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

function refusalOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof EngineError) {
    if (error.code === 'CAPACITY_EXHAUSTED') return full();
    return new ApiError('ENGINE_UNAVAILABLE', error.message, { cause: error });
  }
  // Nobody reads this: the caller has gone. It is no failure of ours.
  if (signal.aborted || isAbort(error)) return invalid('The upload was interrupted.');
  return error;
}
