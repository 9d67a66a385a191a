import { createHash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { z } from 'zod';
import type { Upload } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { parseBody } from '@/lib/core/api/request';
import { writeStream } from '@/lib/core/files';
import { ARCHIVE_BYTES, CODE_BYTES } from '../schema';
import { dropDraft, newDraft } from './store';

/** An archive that has arrived completely. */
export type Draft = { file: string; sha256: string; sizeBytes: number };

/** Fields whose values are no text: they are JSON. */
const JSON_FIELDS = ['memory_mb', 'timeout_s', 'env', 'layer_version_ids', 'concurrency', 'security_group_ids', 'url'];

/**
 * Reads a form with an archive: the other fields are those of the JSON body, each as text, numbers, lists and objects as JSON.
 * @throws ApiError 400 for a broken form or a wrong field, 413; nothing of the archive is left then
 */
export async function readForm<Schema extends z.ZodType>(
  upload: Upload,
  schema: Schema,
  signal: AbortSignal,
): Promise<{ body: z.output<Schema>; archive: Draft | undefined }> {
  const fields: Record<string, unknown> = {};
  const broken = new AbortController();
  let problem: unknown;
  const refuse = (error: unknown) => {
    problem ??= error;
    broken.abort();
  };
  const ended = AbortSignal.any([signal, broken.signal]);
  let arriving: Promise<Draft> | undefined;
  const parser = openForm(upload.content_type);
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) refuse(invalid(`${name.slice(0, 80)}: is too long.`));
    else fields[name] = JSON_FIELDS.includes(name) ? jsonOf(name, value, refuse) : value;
  });
  parser.on('file', (name, content) => {
    content.on('error', () => {});
    if (name !== 'archive' || arriving) {
      refuse(invalid(`${name.slice(0, 80)}: the form may have one file, named "archive".`));
      content.resume();
      return;
    }
    arriving = receive(content, ended);
    arriving.catch(refuse);
  });
  try {
    await pipeline(Readable.from(upload.stream), parser, { signal: ended });
    const archive = await arriving;
    if (problem) throw problem;
    // The schema is what it was given; `parseBody` has lost its type.
    const body = parseBody(fields, schema) as z.output<Schema>;
    return { body, archive };
  } catch (error) {
    const left = await arriving?.catch(() => undefined);
    if (left) await dropDraft(left.file);
    if (problem) throw problem;
    if (error instanceof ApiError || signal.aborted) throw error;
    throw invalid('The form is malformed or ended early.');
  }
}

function openForm(contentType: string): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      limits: { fields: 30, fieldSize: CODE_BYTES, parts: 32, files: 2 },
    });
  } catch {
    throw invalid('The form is malformed: it has no boundary.');
  }
}

function jsonOf(name: string, text: string, refuse: (error: unknown) => void): unknown {
  try {
    return JSON.parse(text);
  } catch {
    refuse(invalid(`${name}: must be JSON.`));
    return undefined;
  }
}

/** The parser never ends a file that begins after the form was refused: the signal does. */
async function receive(content: Readable, signal: AbortSignal): Promise<Draft> {
  const file = await newDraft();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      sizeBytes += chunk.byteLength;
      hash.update(chunk);
      if (sizeBytes > ARCHIVE_BYTES)
        pass(new ApiError('PAYLOAD_TOO_LARGE', `archive: is larger than ${ARCHIVE_BYTES / 1024 ** 2} MB.`));
      else pass(null, chunk);
    },
  });
  try {
    await pipeline(content, meter, await writeStream(file), { signal });
  } catch (error) {
    await dropDraft(file);
    throw error;
  }
  return { file, sha256: hash.digest('hex'), sizeBytes };
}
