'use client';

import { useSyncExternalStore } from 'react';
import { ResumableUpload, type UploadTarget } from '@/components/kit/upload/resumable-upload';
import type { ApiClient } from '@/lib/client/api';
import { mayBeOf, rememberFile } from './remembered-files';

/** A file on its way to a bucket. It goes on while other pages of the portal are shown. */
export interface ObjectUpload {
  id: number;
  projectId: string;
  bucket: string;
  key: string;
  upload: ResumableUpload;
}

/** Larger files are sent in parts, so that a lost connection or a reload costs only a part. */
const SMALL_BYTES = 8 * 1024 ** 2;
/** Files that are sent at the same time; others wait. */
const PARALLEL = 3;

const listeners = new Set<() => void>();
let uploads: readonly ObjectUpload[] = [];
let lastId = 0;
let running = 0;

const isUnderWay = ({ upload }: ObjectUpload) => ['waiting', 'sending', 'finishing'].includes(upload.progress.state);

function put(next: readonly ObjectUpload[]): void {
  uploads = next;
  // Leaving the portal would stop what is on its way: the browser asks first.
  if (uploads.some(isUnderWay)) window.addEventListener('beforeunload', askFirst);
  else window.removeEventListener('beforeunload', askFirst);
  for (const listener of listeners) listener();
}

const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

type Place = { client: ApiClient; projectId: string; bucket: string };

/** Sends files to a bucket. `onDone` is called after each one that has arrived. */
export function startUploads(place: Place, files: readonly { key: string; file: File }[], onDone: () => void): void {
  const added = files.map(({ key, file }): ObjectUpload => {
    lastId += 1;
    const { projectId, bucket } = place;
    return { id: lastId, projectId, bucket, key, upload: new ResumableUpload(file, targetOf(place, key)) };
  });
  for (const { upload } of added) upload.subscribe(() => put([...uploads]));
  put([...uploads, ...added]);
  for (const _ of added) void work(onDone);
}

/** Takes the next file that waits, if fewer than the most are on their way. */
async function work(onDone: () => void): Promise<void> {
  if (running >= PARALLEL) return;
  const next = uploads.find(({ upload }) => upload.progress.state === 'waiting');
  if (!next) return;
  running += 1;
  try {
    await next.upload.start();
    if (next.upload.progress.state === 'done') onDone();
  } finally {
    running -= 1;
    void work(onDone);
  }
}

/** Takes an upload out of the list. */
export const forgetUpload = (id: number) => put(uploads.filter((upload) => upload.id !== id));
/** Takes those out that have arrived. */
export const forgetDone = () => put(uploads.filter(({ upload }) => upload.progress.state !== 'done'));

const none: readonly ObjectUpload[] = [];

/** The uploads to all buckets of this browser tab. */
export function useObjectUploads(): readonly ObjectUpload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
    () => none,
  );
}

/** Sends one object: in one request if it is small, else in parts. */
function targetOf({ client, bucket: name }: Place, key: string): UploadTarget {
  const path = { name };
  const contentType = (file: File) => (file.type === '' ? {} : { content_type: file.type });
  let single: File | undefined;
  return {
    async begin(file, signal) {
      if (file.size <= SMALL_BYTES) {
        single = file;
        return { uploadId: '', partSize: Math.max(1, file.size) };
      }
      const earlier = await unfinished(client, name, key, file, signal);
      if (earlier) return earlier;
      const body = { key, size_bytes: file.size, ...contentType(file) };
      const { data } = await client.POST('/api/v1/storage/buckets/{name}/objects/uploads', {
        params: { path },
        body,
        signal,
      });
      if (!data) throw new Error('The upload could not begin.');
      rememberFile(data.upload_id, file);
      return { uploadId: data.upload_id, partSize: data.part_size };
    },
    async arrived(id, signal) {
      return single ? [] : (await readParts(client, name, id, signal)).map(({ part_number }) => part_number);
    },
    async send(id, part, bytes, signal) {
      const of = single ? contentType(single) : { upload_id: id, part_number: part };
      const { data } = await client.POST('/api/v1/storage/buckets/{name}/objects/presign', {
        params: { path },
        body: { key, method: 'PUT', expires_in: 3600, ...of },
        signal,
      });
      if (!data) throw new Error('The upload was refused.');
      const answer = await fetch(data.url, { method: 'PUT', body: bytes, headers: data.headers, signal });
      const text = await answer.text();
      if (!answer.ok) throw new Error(messageOf(text));
    },
    async complete(id, signal) {
      if (!single)
        await client.POST('/api/v1/storage/buckets/{name}/uploads/{id}/complete', {
          params: { path: { name, id } },
          signal,
        });
    },
    async abandon(id) {
      if (!single)
        await client.DELETE('/api/v1/storage/buckets/{name}/uploads/{id}', { params: { path: { name, id } } });
    },
  };
}

/** An upload of the same file that an earlier page has begun. */
async function unfinished(client: ApiClient, name: string, key: string, file: File, signal: AbortSignal) {
  const { data = [] } = await client.GET('/api/v1/storage/buckets/{name}/uploads', {
    params: { path: { name } },
    signal,
  });
  const same = data.find(
    ({ upload_id, ...upload }) => upload.key === key && upload.size_bytes === file.size && mayBeOf(upload_id, file),
  );
  if (!same?.part_size) return undefined;
  const parts = await readParts(client, name, same.upload_id, signal);
  return { uploadId: same.upload_id, partSize: same.part_size, arrived: parts.map(({ part_number }) => part_number) };
}

async function readParts(client: ApiClient, name: string, id: string, signal: AbortSignal) {
  const { data } = await client.GET('/api/v1/storage/buckets/{name}/uploads/{id}', {
    params: { path: { name, id } },
    signal,
  });
  return data?.parts ?? [];
}

/** The message of an error in S3's XML. */
export const messageOf = (xml: string) => /<Message>([^<]*)<\/Message>/.exec(xml)?.[1] ?? 'The request was refused.';
