import { settings } from '@/lib/settings';
import * as external from './external/objects';
import * as own from './objects';

/** What the tenant API does with objects. */
export type ObjectEngine = Pick<
  typeof own,
  | 'listEntries'
  | 'presignObject'
  | 'deleteOne'
  | 'deleteMany'
  | 'copyOne'
  | 'begin'
  | 'readUploadOf'
  | 'finish'
  | 'cancel'
  | 'listOpenUploads'
>;

/** The engine that `S3_ENGINE` names: the platform's own store, or that of `S3_EXTERNAL_URL`. */
export const objectEngine = (): ObjectEngine => (settings().s3.external ? external : own);
