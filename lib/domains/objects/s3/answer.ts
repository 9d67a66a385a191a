import type { Asked, BucketRow, Holder } from './access';
import type { S3Request } from './request';
import { document, type Elements } from './xml';

/** What an operation answers. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  /** `stream`: so many bytes, read while they are sent. */
  body?: string | Buffer | { stream: AsyncIterable<Uint8Array>; size: number };
};

/** A request whose caller is known. */
export type Context = Asked & { request: S3Request };
/** …for a bucket that exists. */
export type BucketContext = Context & { bucket: BucketRow };
export type ObjectContext = BucketContext & { key: string };
export type { Holder };

export const xml = (root: string, content: Elements, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'application/xml', ...headers },
  body: document(root, content),
});

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({ status, headers });

/** 2026-01-02T03:04:05.678Z */
export const iso = (at: Date) => at.toISOString();

export const quoted = (etag: string) => `"${etag}"`;

/** The account of S3 is the project. */
export const owner = (projectId: string): Elements => ({ ID: projectId, DisplayName: projectId });
