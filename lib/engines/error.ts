/** The kinds of engine errors, with the API's error codes. */
export type EngineErrorCode =
  /** A program, device or server that the engine needs is missing. */
  | 'ENGINE_UNAVAILABLE'
  /** The host has no room; nothing was allocated. */
  | 'CAPACITY_EXHAUSTED'
  /** An external failure or refusal; a retry may help. */
  | 'ENGINE_ERROR'
  /** The input can never work: a hostile image, a disk smaller than its image. */
  | 'INVALID'
  /** Another resource still depends on it. */
  | 'IN_USE'
  /** Unknown to the engine. */
  | 'NOT_FOUND';

/**
 * The error that engines throw deliberately. Its message is for the owner of the resource and never names a file of the
 * host; `detail` has the full text, for logs and administrators.
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

/** The message of any thrown value, as the owner of a resource may see it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message with everything that only administrators may see. */
export function detailOf(error: unknown): string {
  return error instanceof EngineError ? error.detail : reasonOf(error);
}

const QUOTED_PATH = /(['"])\/[^'"\n]*\1/g;
/** An absolute path, but not the path of a URL or the prefix length of a network. */
const BARE_PATH = /(?<![\w:/.])\/(?!\d+(?![\w/]))(?:[\w.@+%~:-]*[\w@+%~-]\/?)+/g;

/** Replaces every absolute path in a text, so that tenants learn nothing about the host's layout. */
export function withoutHostPaths(text: string): string {
  return text.replace(QUOTED_PATH, '$1[host file]$1').replace(BARE_PATH, '[host file]');
}
