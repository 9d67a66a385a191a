'use client';

import { useMemo, useSyncExternalStore } from 'react';
import { ApiError, connectionLost, readError } from '@/lib/client/errors';
import { useProject } from '@/lib/client/project';
import type { ImageFormat } from './guess';
import { addSample, type Sample, speedOf } from './upload-speed';

/** What an upload says of itself. */
export interface ImageFacts {
  name: string;
  format: ImageFormat;
  description: string;
  min_ram_mb: number;
}

/** A file on its way to the platform. It goes on while other pages of the portal are shown. */
export interface ImageUpload {
  key: number;
  projectId: string;
  file: File;
  facts: ImageFacts;
  sent: number;
  total: number;
  /** Bytes a second. */
  speed: number | undefined;
  /** All bytes are there, and the server writes the image down; or it was refused. */
  state: 'sending' | 'finishing' | 'failed';
  error?: unknown;
}

const requests = new Map<number, XMLHttpRequest>();
const listeners = new Set<() => void>();
let uploads: readonly ImageUpload[] = [];
let lastKey = 0;

function put(next: readonly ImageUpload[]): void {
  uploads = next;
  // Leaving the portal would end what is on its way: the browser asks first.
  if (uploads.some(({ state }) => state !== 'failed')) window.addEventListener('beforeunload', askFirst);
  else window.removeEventListener('beforeunload', askFirst);
  for (const listener of listeners) listener();
}

const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();
const change = (key: number, changes: Partial<ImageUpload>) =>
  put(uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));
const forget = (key: number) => put(uploads.filter((upload) => upload.key !== key));

/** Begins to send a file. The browser reads it from the disk as it goes, so that its size does not matter. */
export function startUpload(projectId: string, file: File, facts: ImageFacts): void {
  lastKey += 1;
  const key = lastKey;
  // `fetch` tells no progress of what it sends.
  const request = new XMLHttpRequest();
  requests.set(key, request);
  put([{ key, projectId, file, facts, sent: 0, total: file.size, speed: undefined, state: 'sending' }, ...uploads]);
  let samples: Sample[] = [{ at: performance.now(), sent: 0 }];
  request.upload.onprogress = ({ loaded }) => {
    samples = addSample(samples, { at: performance.now(), sent: loaded });
    change(key, { sent: loaded, speed: speedOf(samples) });
  };
  request.upload.onload = () => change(key, { sent: file.size, state: 'finishing' });
  request.onload = async () => {
    requests.delete(key);
    // The list shows the image itself from here on.
    if (request.status === 201) return forget(key);
    const { status, responseText } = request;
    const headers = { 'X-Request-Id': request.getResponseHeader('X-Request-Id') ?? '' };
    change(key, { state: 'failed', error: await readError(new Response(responseText, { status, headers })) });
  };
  request.onerror = () => {
    requests.delete(key);
    change(key, { state: 'failed', error: brokenOff() });
  };
  const query = new URLSearchParams({ ...facts, min_ram_mb: String(facts.min_ram_mb) });
  request.open('POST', `/api/v1/images/images?${query}`);
  request.setRequestHeader('X-Project-Id', projectId);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.send(file);
}

/** A server that ends the connection while bytes still come may have said why, but browsers do not let that be read. */
function brokenOff(): ApiError {
  const { code } = connectionLost();
  return new ApiError(
    code,
    'The upload was interrupted and nothing was kept. The file may also have changed on disk.',
    0,
    undefined,
  );
}

/** Stops an upload, of which the server keeps nothing; or takes away one that has failed. */
export function endUpload(key: number): void {
  const request = requests.get(key);
  requests.delete(key);
  request?.abort();
  forget(key);
}

/** The uploads of this project that are on their way or have failed, the latest first. */
export function useUploads(): readonly ImageUpload[] {
  const { project } = useProject();
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
    () => none,
  );
  return useMemo(() => all.filter(({ projectId }) => projectId === project.id), [all, project.id]);
}

const none: readonly ImageUpload[] = [];
