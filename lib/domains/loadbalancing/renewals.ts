import { X509Certificate } from 'node:crypto';
import { sql } from '@/lib/core/db/sql';
import type { ServiceFile } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { FILES } from './configuration';
import { nodeSpecs } from './node-spec';
import { socketOf } from './nodes';
import { ask } from './runtime-api';

/** Brings renewed certificates into the running nodes of a cell, without a reload. */
export async function settleCertificates(cell: string): Promise<void> {
  const specs = await nodeSpecs(sql`b.cell_id = ${cell}::text AND b.status IN ('active', 'error')`);
  await Promise.all(
    specs.map(async ({ id, files }) => {
      for (const file of files) if (file.live) await settleFile(socketOf(cell, id), file);
    }),
  );
}

export async function settleFile(socket: string, { path, content }: ServiceFile): Promise<void> {
  const file = `${FILES}/${path}`;
  const shown = /^SHA1 FingerPrint: ([0-9A-F]+)$/m.exec((await ask(socket, [`show ssl cert ${file}`])) ?? '')?.[1];
  const wanted = new X509Certificate(content).fingerprint.replaceAll(':', '');
  // A node that does not know the file yet is about to reload.
  if (shown === undefined || shown === wanted) return;
  // The payload ends with an empty line. Open connections go on; new ones get the certificate once it is committed.
  await ask(socket, [`set ssl cert ${file} <<\n${content}`]);
  const answer = await ask(socket, [`commit ssl cert ${file}`]);
  if (!answer?.includes('Success')) log.warn({ file, answer }, 'a renewed certificate could not be served');
}
