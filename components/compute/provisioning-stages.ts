/** The stages of creating an instance, in order (lib/domains/compute/operations.ts is too heavy for a page). */
export const provisioningStages = ['image', 'network', 'machine'] as const;
export type StageName = (typeof provisioningStages)[number];
