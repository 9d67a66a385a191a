import { ApiError } from '@/lib/client/errors';

/** The destination of a multipart upload. The endpoints of object storage have the same steps. */
export interface UploadTarget {
  /** @returns the upload's id, the size of every part but the last, and the parts that an earlier page has sent */
  begin(file: File, signal: AbortSignal): Promise<{ uploadId: string; partSize: number; arrived?: readonly number[] }>;
  /** The numbers of the parts that have arrived, starting at 1, for resuming an upload. */
  arrived(uploadId: string, signal: AbortSignal): Promise<readonly number[]>;
  /** Sends one part; a repeat replaces it. */
  send(uploadId: string, part: number, bytes: Blob, signal: AbortSignal): Promise<void>;
  complete(uploadId: string, signal: AbortSignal): Promise<void>;
  /** Deletes the parts that have arrived. */
  abandon(uploadId: string): Promise<void>;
}

export type UploadState = 'waiting' | 'sending' | 'paused' | 'finishing' | 'done' | 'failed';

export interface UploadProgress {
  state: UploadState;
  sentBytes: number;
  totalBytes: number;
  error?: unknown;
}

export interface UploadOptions {
  /** Concurrent parts. */
  parallel?: number;
  /** Attempts of a step that is refused, before the upload fails. */
  attempts?: number;
  /** How long the connection may be lost before the upload fails. */
  patienceMs?: number;
  /** Waits before the next attempt; receives the number of the last one. */
  backOff?: (attempt: number, signal: AbortSignal) => Promise<void>;
}

/** A multipart upload of one file, with pause, resume and retry; parts that have arrived are not sent again. */
export class ResumableUpload {
  #progress: UploadProgress;
  #started: { uploadId: string; partSize: number } | undefined;
  #arrived = new Set<number>();
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<() => void>();
  readonly #options: Required<UploadOptions>;

  constructor(
    readonly file: File,
    readonly target: UploadTarget,
    options: UploadOptions = {},
  ) {
    this.#options = { parallel: 3, attempts: 4, patienceMs: 30 * 60_000, backOff, ...options };
    this.#progress = { state: 'waiting', sentBytes: 0, totalBytes: file.size };
  }

  get progress(): UploadProgress {
    return this.#progress;
  }

  /** Calls back on every change of the progress. @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts, or resumes after a pause or failure. Resolves when the upload stops, for whatever reason. */
  start(): Promise<void> {
    if (['sending', 'finishing', 'done'].includes(this.#progress.state)) return this.#running;
    this.#stop = new AbortController();
    this.#put({ state: 'sending', error: undefined });
    const before = this.#running;
    this.#running = before.then(() => this.#run(this.#stop.signal));
    return this.#running;
  }

  /** Stops sending; interrupted parts are sent again later. */
  pause(): void {
    if (this.#progress.state !== 'sending' && this.#progress.state !== 'waiting') return;
    this.#stop.abort();
    this.#put({ state: 'paused' });
  }

  /** Stops, and deletes the parts that have arrived. */
  async cancel(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    const { state } = this.#progress;
    if (this.#started && state !== 'done') await this.target.abandon(this.#started.uploadId);
    this.#started = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      const { uploadId, partSize } = await this.#begin(signal);
      const missing = partNumbers(this.file.size, partSize).filter((part) => !this.#arrived.has(part));
      await inParallel(missing, this.#options.parallel, (part) => this.#sendPart(uploadId, part, partSize, signal));
      signal.throwIfAborted();
      this.#put({ state: 'finishing' });
      // A repeat gets the same answer.
      await this.#attempt(() => this.target.complete(uploadId, signal), signal);
      this.#put({ state: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      // Other parts may still be in transit.
      this.#stop.abort();
      this.#put({ state: 'failed', error });
    }
  }

  async #begin(signal: AbortSignal): Promise<{ uploadId: string; partSize: number }> {
    if (this.#started) {
      const { uploadId } = this.#started;
      this.#arrived = new Set(await this.#attempt(() => this.target.arrived(uploadId, signal), signal));
    } else {
      const { arrived = [], ...started } = await this.#attempt(() => this.target.begin(this.file, signal), signal);
      this.#started = started;
      this.#arrived = new Set(arrived);
    }
    this.#count(this.#started.partSize);
    return this.#started;
  }

  async #sendPart(uploadId: string, part: number, partSize: number, signal: AbortSignal): Promise<void> {
    const bytes = this.file.slice((part - 1) * partSize, part * partSize);
    await this.#attempt(() => this.target.send(uploadId, part, bytes, signal), signal);
    this.#arrived.add(part);
    this.#count(partSize);
  }

  /** Repeats a step: a few times if it is refused, and for long while nothing answers. */
  async #attempt<Result>(step: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const begun = performance.now();
    let refusals = 0;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (!isLost(error)) refusals += 1;
        const isOver = refusals >= this.#options.attempts || performance.now() - begun > this.#options.patienceMs;
        if (signal.aborted || isOver) throw error;
        await this.#options.backOff(attempt, signal);
      }
    }
  }

  #count(partSize: number): void {
    const sentBytes = [...this.#arrived].reduce((sum, part) => sum + bytesOf(this.file.size, partSize, part), 0);
    this.#put({ sentBytes });
  }

  #put(changes: Partial<UploadProgress>): void {
    this.#progress = { ...this.#progress, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** Starts at 1. An empty file has one empty part. */
export function partNumbers(size: number, partSize: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(size / partSize)) }, (_, index) => index + 1);
}

function bytesOf(size: number, partSize: number, part: number): number {
  return Math.max(0, Math.min(partSize, size - (part - 1) * partSize));
}

/** Runs a task for each value with limited concurrency; stops at the first failure. */
async function inParallel<Value>(
  values: readonly Value[],
  count: number,
  task: (value: Value) => Promise<void>,
): Promise<void> {
  const rest = values.values();
  const work = async () => {
    for (const value of rest) await task(value);
  };
  await Promise.all(Array.from({ length: count }, work));
}

/** Whether nothing answered: the error of `fetch`, or that of the API client. */
const isLost = (error: unknown) =>
  error instanceof TypeError || (error instanceof ApiError && error.code === 'CONNECTION_LOST');

/** A network that drops often returns within a second; doubling spares a server that is down. */
const FIRST_BACKOFF_MS = 1000;
const MOST_BACKOFF_MS = 15_000;

/** Exponential backoff before a retry: 1 s, 2 s, 4 s, up to 15 s. Ends early if the upload is stopped, or the browser is online again. */
function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      removeEventListener('online', over);
      resolve();
    };
    const timer = setTimeout(over, Math.min(MOST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1)));
    signal.addEventListener('abort', over);
    addEventListener('online', over);
  });
}
