/** The stages of making an instance, in order (lib/compute/operations.ts, which is too heavy for a page). */
export const provisioningStages = ['image', 'network', 'machine'] as const;
export type StageName = (typeof provisioningStages)[number];
