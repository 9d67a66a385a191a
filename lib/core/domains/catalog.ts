import type { None } from './portal';

export const catalogCategories = [
  'compute',
  'networking',
  'storage',
  'databases',
  'serverless',
  'ai',
  'observability',
  'security',
] as const;

/** A service as the catalog shows it: a group of resource types that people look for under one name. */
export type CatalogService = {
  /** Unique in the catalog. */
  readonly id: string;
  readonly name: string;
  readonly category: (typeof catalogCategories)[number];
  readonly description: string;
  /** Resource types of the domain. A project with one of them has subscribed. */
  readonly resources: readonly string[];
  /** Engines that it needs on a host, the main one first. */
  readonly engines: readonly string[] | None;
  /** How many of its resources a project may have, where the operator limits that by a setting. */
  readonly limit?: () => { readonly most: number; readonly setting: string };
  /** Its group of the API reference. */
  readonly reference: string;
};
