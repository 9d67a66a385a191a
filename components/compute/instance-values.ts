import * as z from 'zod/mini';
import { severalOf, text } from '@/lib/client/constraints';
import { createInstance } from '@/lib/client/operations/compute';

const { fields } = createInstance;

/** Schema of the create form. */
export const instanceSchema = z.object({
  name: text(fields.name, 'Enter a name.'),
  image_id: z.string().check(z.minLength(1, 'Choose an image.')),
  flavor_id: z.string().check(z.minLength(1, 'Choose a flavor.')),
  network_id: z.string().check(z.minLength(1, 'Choose a network.')),
  security_group_ids: severalOf(fields.security_group_ids, 'security groups'),
  key_pair_id: z.string(),
  ssh_public_key: z.string().check(z.trim()),
  user_data: z.string(),
  volume_ids: severalOf(fields.volume_ids, 'volumes'),
});
export type InstanceValues = z.input<typeof instanceSchema>;
