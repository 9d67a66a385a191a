import type { Row } from '@/lib/client/list';

export type Bucket = Row<'/api/v1/storage/buckets'>;
export type AccessKey = Row<'/api/v1/storage/credentials'>;
export type Entry = Row<'/api/v1/storage/buckets/{name}/objects'>;
export type StoredObject = Extract<Entry, { key: string }>;

/** The last part of a key. */
export const fileName = (key: string) => key.slice(key.lastIndexOf('/') + 1) || key;

/** A key as one part of an address: its slashes do not divide it, and `..` means nothing. */
export const inPath = (key: string) => encodeURIComponent(key);
