import { usableLayers } from '@/lib/domains/layers/content';

export { endLayerUses, layerFolders, noteLayerUses } from '@/lib/domains/layers/content';

/** @throws ApiError 404 for a version of a layer that the project may not use, 409 for one that is not ready */
export async function requireLayers(
  projectId: string,
  versionIds: readonly string[],
  functionId?: string,
): Promise<void> {
  await usableLayers(projectId, versionIds, functionId);
}
