import type { ProgramRef, ServicePort, Settlement } from '@/lib/hosts/services/engine';

/** One process that runs a function for one event at a time. Plain values: the engine knows no database. */
export type InstanceSpec = {
  id: string;
  program: ProgramRef;
  /** The protocol that its runtime speaks, and its limits. */
  language: 'python' | 'node' | 'deno';
  /** Read-only, at `/var/task`. */
  codeFolder: string;
  /** Read-only, at `/opt/1`, `/opt/2`, …; a later one wins where two have the same. */
  layerFolders: readonly string[];
  handler: string;
  /** Kept in memory; reaches the runtime by its own channel, never by a command line. */
  environment: Readonly<Record<string, string>>;
  memoryMb: number;
  /** The socket of its way out, which the caller listens at; null for none. */
  egressSocket: string | null;
  /** Its function's port on a tenant network, shared by all its instances; null for none. */
  port: ServicePort | null;
  function: { name: string; version: number };
};

/** A line that it wrote, or a part of a very long one. */
export type InstanceLine = { stream: 'stdout' | 'stderr'; message: string };

export type InstanceError = { type: string; message: string; stack: string | null };

/** Why an instance ended during an event. */
export type InstanceEnd =
  /** By itself, with a code, or by a signal that it caused. */
  | { reason: 'exit'; code: number | null; signal: string | null }
  | { reason: 'timeout' | 'memory' | 'log' | 'protocol' };

export type Outcome = { durationMs: number; memoryMb: number } & (
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; error: InstanceError }
  /** The instance is gone. */
  | { kind: 'ended'; end: InstanceEnd }
);

export type InstanceEvent = { id: string; event: unknown; timeoutMs: number };

export interface FunctionInstance {
  /** Runs the handler once. One call at a time. Never throws: every end is an outcome. */
  invoke(event: InstanceEvent): Promise<Outcome>;
  /** Whether it can take another event. */
  isAlive(): boolean;
  /** Called once when it has ended, whatever the reason. */
  onEnd(listener: () => void): void;
  /** Ends it; resolves when nothing of it is left. */
  kill(): Promise<void>;
}

/** The code could not be loaded, or the runtime did not start. */
export class StartFailure extends Error {
  override name = 'StartFailure';

  constructor(
    readonly error: InstanceError,
    /** Told apart from a failure of the code. */
    readonly end: InstanceEnd | null,
  ) {
    super(error.message);
  }
}

/**
 * Sandboxed processes that run functions (services.md, section 6). They end with the process that started them. What the code
 * inside says about itself is not believed; it is expected to be hostile.
 */
export interface FunctionEngine {
  /**
   * Fetches a runtime where it is missing.
   * @throws EngineError `ENGINE_UNAVAILABLE` with what to do
   */
  prepare(program: ProgramRef): Promise<Settlement>;
  /**
   * Starts an instance and loads its code.
   * @param hear gets its lines as they come, also those of loading
   * @throws StartFailure for a failure of the code, EngineError where the host can't run it
   */
  start(spec: InstanceSpec, hear: (line: InstanceLine) => void): Promise<FunctionInstance>;
  /** Where the pool of this host listens for the platform's other processes. */
  poolSocket(): string;
  /** A socket for the way out of a function. */
  egressSocket(id: string): string;
  /** Takes its sockets away, after the last instance has ended: a stopped platform leaves nothing on the host. */
  rest(): Promise<void>;
}
