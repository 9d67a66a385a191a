import type { Sql } from '@/lib/core/db/sql';

/** A program of the catalogue, in one version. */
export type ProgramRef = { name: string; version: string };

/** A program of the catalogue as one host has it. */
export type ProgramState = ProgramRef & {
  /** SPDX. */
  licence: string;
  /** `unavailable`: it could not be fetched the last time; the next service that needs it tries again. */
  state: 'absent' | 'fetching' | 'ready' | 'unavailable';
  /** The packages that it was unpacked from, each with its version. */
  parts: string[];
  progress: { step: 'downloading' | 'unpacking'; receivedBytes: number } | null;
  /** Why it could not be fetched, and what to do. */
  trouble: string | null;
};

/** The programs of a host. Services fetch what they need themselves; this is for people. */
export interface ProgramStore {
  listPrograms(): Promise<ProgramState[]>;
  /**
   * Fetches a program, and resolves when it is here.
   * @param mirror a folder that gets the downloaded files too, for hosts without the internet
   * @throws EngineError `INVALID` for an unknown program, `ENGINE_UNAVAILABLE` that says what to do
   */
  fetchProgram(program: ProgramRef, mirror?: string): Promise<void>;
}

/** A file that the service finds below `/etc/service`, readable by it alone. */
export type ServiceFile = {
  /** Relative, such as `tls/server.pem`. */
  path: string;
  content: string;
  /** Kept in memory only, and never in a record. */
  secret: boolean;
  /** May the service run it? */
  executable?: boolean;
  /** Its domain brings changes of this file into the running process: they need no reload. */
  live?: boolean;
};

/** The port of a service on a tenant network, as the network engine was told about it. */
export type ServicePort = {
  id: string;
  networkId: string;
  mac: string;
  ip: string;
  prefixLength: number;
  gatewayIp: string;
  dnsServers: string[];
  /** Further addresses of the network that this service answers at now, such as a virtual IP that moves. */
  sharedAddresses: string[];
  /** How often the shared addresses have moved. The engine ignores those of a description that is older than the last move. */
  moves?: number;
};

export type ServiceLimits = {
  /** Processors, in thousandths; a share where the host cannot hold it to that. */
  cpuMillis: number;
  memoryMb: number;
  processes: number;
  openFiles: number;
  /** Of the state folder, for reading and for writing each; the host's share when absent. */
  diskMbPerSecond?: number;
};

/** What must be true before a service counts as ready. */
export type ServiceHealth =
  | { kind: 'tcp'; port: number }
  | { kind: 'http'; port: number; path: string }
  /** Exit code 0, run inside the service's sandbox. */
  | { kind: 'command'; argv: string[] }
  /** A Unix socket below `/run/service` that accepts connections. */
  | { kind: 'socket'; path: string };

/** How a running service takes changed files; `restart` where it cannot. */
export type ServiceReload =
  | { kind: 'signal'; signal: string }
  | { kind: 'command'; argv: string[] }
  | { kind: 'restart' };

/** One sandboxed server process as it should be. Plain values: the engine knows no database. */
export type ServiceSpec = {
  id: string;
  program: ProgramRef;
  /** The program's own path inside the sandbox, and its arguments. */
  argv: string[];
  environment: Record<string, string>;
  files: ServiceFile[];
  /** A folder of its own that lasts, at `/state`. It may grow, never shrink. */
  state: { sizeMb: number } | null;
  /** Without one a service has no network, only the sockets below `/run/service`. */
  port: ServicePort | null;
  /**
   * The way to the public internet: an HTTP proxy at `http://127.0.0.1:3128` inside, whose bytes count for this owner.
   * Without it a service reaches nothing but its port's network.
   */
  egress?: { owner: string };
  /**
   * The platform's own front for the internet, never a program that a tenant chose: it uses the host's network, its low ports
   * too, and enters tenant networks by the sockets of `NetworkEngine.ensureEntries`, which it finds below `/run/entries`.
   */
  front?: boolean;
  limits: ServiceLimits;
  health: ServiceHealth;
  restart: 'always' | 'never';
  reload: ServiceReload;
  power: 'running' | 'stopped';
  /** The signal that asks the program to end; SIGTERM when absent. */
  stopSignal?: string;
  /** How long it may take to end before it is killed; 10 s when absent. */
  stopSeconds?: number;
};

/** A service that a domain wants in a cell. */
export type WantedService = {
  spec: ServiceSpec;
  /** An operation is at work on it: it is known, and left alone. */
  isBusy: boolean;
};

/** How the last look at a wanted service went. */
export type ServiceReport = {
  id: string;
  state: 'ready' | 'waiting' | 'failed';
  /** What it waits for, or why it failed. */
  reason: string | null;
};

/** What one domain wants to run. Its agent asks every few seconds, and makes it so. */
export type ServiceSource = {
  /** Read from the domain's own tables: every service of the cell that has a row, also one that should be stopped. */
  wantedServices(cellId: string): Promise<WantedService[]>;
  /**
   * Services whose metrics belong to another device: SQL with the service's `id`, the `device_id`, and `labels` that tell its
   * series apart. Without it, each service is a device that reports for itself.
   */
  parts?: Sql;
  /** When a cell powers down, services with a lower number are stopped first. */
  stopOrder: number;
  /** Told after every look what became of those that no operation is at work on. */
  report?(reports: readonly ServiceReport[]): Promise<void>;
  /** Takes the bytes that crossed to the internet for each owner since the last call; they count again when it fails. */
  countEgress?(counted: ReadonlyMap<string, { sentBytes: number; receivedBytes: number }>): Promise<void>;
};

/** What is known of a service's last end. */
export type ServiceExit = {
  at: Date;
  /** Exit code, or null where a signal ended it. */
  code: number | null;
  signal: string | null;
  /** It went over its memory limit. */
  outOfMemory: boolean;
};

/** One service as it is. */
export type ObservedService = {
  id: string;
  power: 'running' | 'stopped';
  /** The engine holds no record of it: a leftover to stop and report. */
  stray: boolean;
  startedAt: Date | null;
  /** How often it was started since it was last told to run. */
  starts: number;
  lastExit: ServiceExit | null;
};

/** Work in progress: its current step, the time until the next call, and the bytes of a transfer so far. */
export type Waiting = {
  settled: false;
  waits_for: string;
  again_ms: number;
  transfer?: { receivedBytes: number; totalBytes: number | null };
};

/** The answer to every request that may take long: settled, with its result, or still waiting. */
export type Settlement<Result extends object = object> = ({ settled: true } & Result) | Waiting;

/** Counters since the service was started. A value below the last one means a new start. */
export type ServiceStats = {
  sampledAt: Date;
  cpuSeconds: number;
  memoryBytes: number;
  processes: number;
  /** Null without a state folder. */
  state: { usedBytes: number; totalBytes: number } | null;
  network: { receivedBytes: number; sentBytes: number };
};

export type LogLine = { at: Date; stream: 'stdout' | 'stderr' | 'engine' | 'console'; message: string };

/** Lines after a cursor, oldest first. */
export type LogPage = {
  lines: LogLine[];
  /** Where the next reading begins. */
  cursor: string;
  /** Lines that were lost between the cursor and these: too many at once, or rotated away before they were read. */
  dropped: number;
};

/** What ran inside a service's sandbox. */
export type CommandResult = { code: number; stdout: string; stderr: string };

/**
 * Sandboxed server processes (design: services, section 1). Every call is idempotent and may be repeated after a crash at
 * any point; calls about one service queue up. Nothing that a process inside a sandbox says about itself is believed.
 */
export interface ServiceEngine {
  /**
   * Makes a service what its spec says. Answers at once where waiting is all that is left to do.
   * @throws EngineError `ENGINE_UNAVAILABLE` where its program or its isolation cannot be had, `INVALID` for a spec that can
   * never work, such as a smaller state folder
   */
  ensureService(spec: ServiceSpec): Promise<Settlement>;
  /**
   * Gives a service the shared addresses of its port, and takes others away. Waits for nothing else that is under way at
   * the service.
   */
  moveAddresses(id: string, port: ServicePort): Promise<void>;
  /**
   * Stops a service whatever its spec says, and keeps its data and logs; the next `ensureService` starts it again. It has
   * as long as its spec gave it. No error when it does not run or is unknown.
   */
  stopService(id: string): Promise<void>;
  /** Removes process, state, files and logs; no error when some or all are gone. */
  removeService(id: string): Promise<void>;
  observeServices(): Promise<ObservedService[]>;
  /** Whether the service answers as its spec says it must. */
  isHealthy(id: string): Promise<boolean>;
  /**
   * Runs a command inside a running service's sandbox, as the service's own user.
   * @throws EngineError `NOT_FOUND` when the service does not run
   */
  runInside(
    id: string,
    argv: readonly string[],
    options?: { input?: string; timeoutMs?: number },
  ): Promise<CommandResult>;
  /** Folder of the service's Unix sockets, as the platform's own processes reach it. */
  socketFolder(id: string): string;
  /** A service's `/state`, as the platform's own processes reach it. */
  stateFolder(id: string): string;
  /** The Unix socket that a service's way out leads to; whoever ensures the service listens there. */
  egressSocket(id: string): string;
  /** Null when it does not run. */
  sampleService(id: string): Promise<ServiceStats | null>;
  /** What it wrote since the cursor; from the oldest line kept where there is none. */
  readLog(id: string, cursor: string | null, limit: number): Promise<LogPage>;
}
