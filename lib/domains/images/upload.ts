import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Upload } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { engineOf } from '@/lib/engines/engines';
import { reasonOf } from '@/lib/engines/error';
import { settings } from '@/lib/settings';

/** Interval between checks for free disk space. */
const LOOK_BYTES = 256 * 1024 ** 2;

/** Where an upload goes: a file on the disk of a cell. */
export type Target = { file: string; cell: string };

/** A file that has arrived whole. */
export type Arrived = { size: number; sha256: string };

/** The fields of a form, by name. */
export type FormFields = Record<string, string>;

/**
 * Streams an upload into a file, whatever its size; nothing stays when it breaks off.
 * @returns what arrived, and the fields that a form had beside it
 * @throws ApiError 400 for a broken or empty upload, 413, 503 when the disk is full
 */
export async function receive(
  upload: Upload,
  target: Target,
  signal: AbortSignal,
): Promise<{ arrived: Arrived; fields: FormFields }> {
  try {
    await requireRoom(target.cell, upload.content_length ?? 0);
    const isForm = upload.content_type.toLowerCase().startsWith('multipart/');
    const received = isForm
      ? await receiveForm(upload, target, signal)
      : { arrived: await save(Readable.from(upload.stream), target, signal), fields: {} };
    if (received.arrived.size === 0) throw invalid('file: must not be empty.');
    return received;
  } catch (error) {
    await rm(target.file, { force: true });
    throw refusalOf(error, signal);
  }
}

async function receiveForm(upload: Upload, target: Target, signal: AbortSignal) {
  const fields: FormFields = {};
  const broken = new AbortController();
  let saving: Promise<Arrived> | undefined;
  let problem: unknown;
  const parser = openForm(upload.content_type);
  parser.on('field', (name, value) => {
    fields[name] = value;
  });
  parser.on('file', (name, content) => {
    if (name !== 'file' || saving) {
      problem = invalid(`${name.slice(0, 80)}: the form may contain only one file, named "file".`);
      // Ending the parser ends this part with an error, which nobody else takes.
      content.on('error', () => {}).resume();
      broken.abort();
      return;
    }
    saving = save(content, target, signal);
    // Without anyone who takes them the parser would wait for its bytes to go.
    saving.catch((error) => {
      problem ??= error;
      broken.abort();
    });
  });
  try {
    await pipeline(Readable.from(upload.stream), parser, { signal: AbortSignal.any([signal, broken.signal]) });
  } catch (error) {
    await saving?.catch(() => {});
    if (broken.signal.aborted && isAbort(error)) throw problem;
    if (error instanceof ApiError || signal.aborted) throw error;
    throw invalid(`The form is malformed: ${reasonOf(error)}.`);
  }
  if (!saving) throw invalid('file: is required.');
  return { arrived: await saving, fields };
}

function openForm(contentType: string): busboy.Busboy {
  try {
    return busboy({ headers: { 'content-type': contentType }, limits: { fields: 10, fieldSize: 4096, parts: 12 } });
  } catch (error) {
    throw invalid(`The form is malformed: ${reasonOf(error)}.`);
  }
}

async function save(content: Readable, { file, cell }: Target, signal: AbortSignal): Promise<Arrived> {
  const hash = createHash('sha256');
  const most = settings().imageMaxBytes;
  let size = 0;
  let looked = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      size += chunk.byteLength;
      hash.update(chunk);
      if (size > most) return pass(new ApiError('PAYLOAD_TOO_LARGE', `The image is larger than ${most} bytes.`));
      if (size - looked < LOOK_BYTES) return pass(null, chunk);
      looked = size;
      requireRoom(cell, LOOK_BYTES).then(() => pass(null, chunk), pass);
    },
  });
  await pipeline(content, meter, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
  return { size, sha256: hash.digest('hex') };
}

async function requireRoom(cell: string, bytes: number): Promise<void> {
  const { diskBytes } = await engineOf(cell).compute.capacity();
  if (diskBytes.free < Math.max(bytes, 1)) throw full();
}

const full = () => new ApiError('CAPACITY_EXHAUSTED', 'The host has no disk space for this image.');
const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

function refusalOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return full();
  // Nobody reads this: the caller has gone. It is no failure of ours.
  if (signal.aborted || isAbort(error)) return invalid('The upload was interrupted.');
  return error;
}
