import * as z from 'zod/mini';
import { archiveFile } from '@/components/kit/upload/archive-field';
import { text } from '@/lib/client/constraints';
import { createFunction } from '@/lib/client/operations/functions';
import { ARCHIVE_BYTES } from './archive-limits';
import type { Template } from './types';

const shared = {
  name: text(createFunction.fields.name, 'Enter a name.', 'Use 3 to 63 lowercase letters, digits and dashes.'),
  template_id: z.string(),
  network: z.enum(['none', 'outbound', 'project']),
  network_id: z.string(),
  security_group_ids: z.array(z.string()),
};

export const creationSchema = z.discriminatedUnion('source', [
  z.object({ ...shared, source: z.literal('example'), archive: z.nullable(z.instanceof(File)) }),
  z.object({ ...shared, source: z.literal('archive'), archive: archiveFile(ARCHIVE_BYTES) }),
]);

export interface NewFunctionValues {
  name: string;
  template_id: string;
  source: 'example' | 'archive';
  archive: File | null;
  network: 'none' | 'outbound' | 'project';
  /** Empty: the only network. */
  network_id: string;
  security_group_ids: string[];
}

/** The request for a filled form, without its archive. */
export function creationBody(values: NewFunctionValues, templates: readonly Template[]) {
  const { name, template_id, source, network, network_id, security_group_ids } = values;
  return {
    name,
    template_id,
    network,
    ...(network === 'project' && { security_group_ids, ...(network_id !== '' && { network_id }) }),
    ...(source === 'example' && { code: templates.find(({ id }) => id === template_id)?.example ?? '' }),
  };
}
