import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Upload } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { readForm } from '@/lib/core/api/form';
import { parseBody } from '@/lib/core/api/request';
import { storeStream } from '@/lib/files';
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
export async function readCodeForm<Schema extends z.ZodType>(
  upload: Upload,
  schema: Schema,
  signal: AbortSignal,
): Promise<{ body: z.output<Schema>; archive: Draft | undefined }> {
  const fields: Record<string, unknown> = {};
  const onField = (name: string, value: string) => {
    fields[name] = JSON_FIELDS.includes(name) ? jsonOf(name, value) : value;
  };
  const discard = ({ file }: Draft) => dropDraft(file);
  const rules = { file: 'archive', fields: 30, fieldBytes: CODE_BYTES, onField, receive, discard };
  const archive = await readForm(upload, rules, signal);
  try {
    // The schema is what it was given; `parseBody` has lost its type.
    return { body: parseBody(fields, schema) as z.output<Schema>, archive };
  } catch (error) {
    if (archive) await discard(archive);
    throw error;
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${name}: must be JSON.`);
  }
}

const tooLarge = () => new ApiError('PAYLOAD_TOO_LARGE', `archive: is larger than ${ARCHIVE_BYTES / 1024 ** 2} MB.`);

async function receive(content: Readable, signal: AbortSignal): Promise<Draft> {
  const file = await newDraft();
  try {
    return { file, ...(await storeStream(content, file, { limit: { most: ARCHIVE_BYTES, tooLarge }, signal })) };
  } catch (error) {
    await dropDraft(file);
    throw error;
  }
}
