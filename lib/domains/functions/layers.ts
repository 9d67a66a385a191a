import { noSuch } from '@/lib/core/api/errors';

/** @throws ApiError 404 for a version of a layer that the project may not use */
export async function requireLayers(
  _projectId: string,
  versionIds: readonly string[],
  _functionId?: string,
): Promise<void> {
  if (versionIds.length > 0) throw noSuch('layer_version_ids', 'layer version');
}

/** The folders of a function's layers on this host, in its order. */
export async function layerFolders(
  _projectId: string,
  _versionIds: readonly string[],
  _functionId: string,
): Promise<string[]> {
  return [];
}
