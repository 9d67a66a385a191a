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

/** The one error that engines throw on purpose. The message is for the person who reads it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly code: EngineErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The text of anything that was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
