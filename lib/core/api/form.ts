import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Upload } from './endpoint';
import { ApiError, invalid } from './errors';

/** What a form may have. @typeParam Received what becomes of its file */
export type FormRules<Received> = {
  /** The name of its only file. */
  file: string;
  /** The most fields beside the file, and the most bytes of one. */
  fields: number;
  fieldBytes: number;
  /** @throws ApiError for a field that may not be there; nothing more is read then */
  onField(name: string, value: string): void;
  /** Takes the file, and leaves nothing of it when it fails. The signal aborts when the form is refused. */
  receive(content: Readable, signal: AbortSignal): Promise<Received>;
  /** Removes what `receive` has made of the file of a form that is refused afterwards. */
  discard?(received: Received): Promise<void>;
};

/**
 * Reads a form with a file (RFC 7578), no faster than the file is taken.
 * @returns what `receive` made of the file; undefined without one
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
    // A refused form ends its files with an error, which nobody may be there to take.
    content.on('error', () => {});
    if (name !== rules.file || arriving)
      refuse(invalid(`${shown(name)}: the form may have only one file, named "${rules.file}".`));
    if (problem !== undefined) return void content.resume();
    arriving = rules.receive(content, ended);
    arriving.catch(refuse);
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(invalid('The form has too many parts.')));
  try {
    await pipeline(Readable.from(upload.stream), parser, { signal: ended });
    const received = await arriving;
    if (problem === undefined) return received;
  } catch (error) {
    problem ??= error instanceof ApiError || signal.aborted ? error : invalid('The form is malformed or ended early.');
  }
  const received = await arriving?.catch(() => undefined);
  if (received !== undefined) await rules.discard?.(received);
  throw problem;
}

/** Names come from the sender, and go into errors. */
const shown = (name: string) => name.slice(0, 80);

function openForm(contentType: string, { fields, fieldBytes }: FormRules<unknown>): busboy.Busboy {
  try {
    const limits = { fields, fieldSize: fieldBytes, files: 2, parts: fields + 2 };
    return busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw invalid('The form is malformed: it has no boundary.');
  }
}
