/** Why an engine refused or failed, in the terms that the API shows (see the error codes of the API contract). */
export type EngineErrorCode =
  /** A program, device or server that the engine needs is missing. */
  | 'ENGINE_UNAVAILABLE'
  /** The host has no room; nothing was allocated. */
  | 'CAPACITY_EXHAUSTED'
  /** The outside world refused or broke; trying again may help. */
  | 'ENGINE_ERROR'
  /** What was handed in can never work: a hostile image, a disk smaller than its image. */
  | 'INVALID'
  /** Something else still stands on it. */
  | 'IN_USE'
  /** The engine knows no such thing. */
  | 'NOT_FOUND';

/**
 * The one error that engines throw on purpose. Its message is for the owner of the resource and never names a file of the
 * host; `detail` has all words, for logs and administrators.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly detail: string;

  constructor(
    readonly code: EngineErrorCode,
    message: string,
    { detail = message, ...options }: ErrorOptions & { detail?: string } = {},
  ) {
    super(withoutHostPaths(message), options);
    this.detail = detail;
  }
}

/** The text of anything that was thrown, as the owner of a resource may read it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same with everything that only administrators may read. */
export function detailOf(error: unknown): string {
  return error instanceof EngineError ? error.detail : reasonOf(error);
}

const QUOTED_PATH = /(['"])\/[^'"\n]*\1/g;
/** An absolute path; not what follows a host name in a URL, nor the length of a network's prefix. */
const BARE_PATH = /(?<![\w:/.])\/(?!\d+(?![\w/]))(?:[\w.@+%~:-]*[\w@+%~-]\/?)+/g;

/** A text with every absolute path replaced: tenants learn nothing of how the host is laid out. */
export function withoutHostPaths(text: string): string {
  return text.replace(QUOTED_PATH, '$1[host file]$1').replace(BARE_PATH, '[host file]');
}
