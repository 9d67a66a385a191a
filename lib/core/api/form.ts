import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Upload } from './endpoint';
import { ApiError, invalid } from './errors';

/** How to read a form with one file. @typeParam Received the result of receiving that file */
export type FormRules<Received> = {
  /** The name of its only file. */
  file: string;
  /** Limits: the number of other fields, and the bytes of each. */
  fields: number;
  fieldBytes: number;
  /** @throws ApiError to refuse the form */
  onField(name: string, value: string): void;
  /** Receives the file, and cleans up if that fails. The signal aborts when the form is refused. */
  receive(content: Readable, signal: AbortSignal): Promise<Received>;
  /** Removes a received file when the form is refused afterwards. */
  discard?(received: Received): Promise<void>;
};

/**
 * Reads a form with a file (RFC 7578), with the back-pressure of `receive`.
 * @returns the result of `receive`; undefined if the form has no file
 * @throws ApiError 400 for a form that is refused or ends early, and what `onField` and `receive` throw
 */
export async function readForm<Received>(
  upload: Upload,
  rules: FormRules<Received>,
  signal: AbortSignal,
): Promise<Received | undefined> {
  const broken = new AbortController();
  const ended = AbortSignal.any([signal, broken.signal]);
  let problem: unknown;
  const refuse = (error: unknown) => {
    problem ??= error;
    broken.abort();
  };
  let arriving: Promise<Received> | undefined;
  const parser = openForm(upload.content_type, rules);
  parser.on('field', (name, value, { valueTruncated }) => {
    try {
      if (valueTruncated) throw invalid(`${shown(name)}: is too long.`);
      rules.onField(name, value);
    } catch (error) {
      refuse(error);
    }
  });
  parser.on('file', (name, content) => {
    // Destroying the parser fails its open file, which may have no reader yet.
    content.on('error', () => {});
    if (name !== rules.file || arriving)
      refuse(invalid(`${shown(name)}: the form may have only one file, named "${rules.file}".`));
    if (problem !== undefined) return void content.resume();
    arriving = rules.receive(content, ended);
    arriving.catch(refuse);
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(invalid('The form has too many parts.')));
  await pipeline(Readable.from(upload.stream), parser, { signal: ended }).catch((error) => {
    if (signal.aborted) problem = invalid('The upload was interrupted.');
    // After an abort by `refuse`, its reason stands.
    else if (error.name !== 'AbortError')
      problem = error instanceof ApiError ? error : invalid('The form is malformed or ended early.');
  });
  const received = await arriving?.catch(() => undefined);
  if (problem === undefined) return received;
  if (received !== undefined) await rules.discard?.(received);
  throw problem;
}

/** Field names are user input: error messages show only their beginning. */
const shown = (name: string) => name.slice(0, 80);

function openForm(contentType: string, { fields, fieldBytes }: FormRules<unknown>): busboy.Busboy {
  try {
    const limits = { fields, fieldSize: fieldBytes, files: 2, parts: fields + 2 };
    return busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw invalid('The form is malformed: it has no boundary.');
  }
}
