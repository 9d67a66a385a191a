import { invalid } from '@/lib/core/api/errors';
import * as layers from '@/lib/domains/layers/archive';

/**
 * Reads the table of an archive without unpacking anything.
 * @returns its files
 * @throws ApiError 400 for what would leave its folder, is no plain file or is too much
 */
export const inspectArchive = async (file: string): Promise<layers.ArchivedFile[]> =>
  (await layers.inspectArchive(file).catch(refused)).listed;

/** Unpacks an archive into an empty folder. @throws ApiError 400 */
export const unpackArchive = (file: string, folder: string): Promise<void> =>
  layers.unpackArchive(file, folder, new AbortController().signal).catch(refused);

function refused(error: unknown): never {
  throw error instanceof layers.ArchiveError ? invalid(`archive: ${error.message}`) : error;
}
