import type { Duplex } from 'node:stream';
import type { LogPage, Settlement } from '@/lib/hosts/services/engine';

/** What an instance should be doing. */
export type PowerState = 'running' | 'paused' | 'stopped';

/** A virtual interface of an instance, as the network engine was told about it. */
export type InstancePort = {
  id: string;
  networkId: string;
  mac: string;
  ip: string;
  prefixLength: number;
  gatewayIp: string;
  dnsServers: string[];
  /** false: the address is written into the seed, because nobody will answer DHCP. */
  dhcp: boolean;
};

/** What the guest's cloud-init (NoCloud) is told at its first boot. */
type InstanceSeed = { hostname: string; sshPublicKeys: string[]; userData: string | null };

/** Limits of one disk; absent means the engine's default. */
export type DiskLimits = { iops: number; bytesPerSecond: number };

/** One instance as it should be. Plain values: the engine knows no database. */
export type InstanceSpec = {
  id: string;
  vcpus: number;
  ramMb: number;
  /** A new `generation` means a new disk from the image: that is how a rebuild is said. */
  disk: { imageId: string; sizeGb: number; generation: number };
  ports: InstancePort[];
  /** Volumes that should be attached, live too. */
  volumeIds: string[];
  seed: InstanceSeed;
  power: PowerState;
  diskLimits?: DiskLimits;
  /** How long the guest may take to answer the power button before it is switched off; 20 s when absent. */
  shutdownSeconds?: number;
};

/** Why an instance is not what its spec says. */
export type InstanceFault =
  /** The guest switched itself off. */
  | 'guest_shutdown'
  /** The process ended without being asked to. */
  | 'crashed'
  /** A write failed (mostly: the host's disk is full), so the guest was halted before it could lose data. */
  | 'disk_error'
  /** The process lives and does not answer. */
  | 'unresponsive';

/** One instance as it is. */
export type ObservedInstance = {
  id: string;
  power: PowerState;
  fault: InstanceFault | null;
  /** null when the engine holds no spec of it: a leftover. */
  generation: number | null;
  volumeIds: string[];
  /** Since when the machine is on. */
  startedAt: Date | null;
  /** The machine of the cell that has it; null where the engine does not tell, as a public cloud. */
  node: string | null;
};

export type DiskStats = { readBytes: number; writtenBytes: number; readOperations: number; writeOperations: number };

/** Counters since the machine was switched on, but egress: since its port exists. A value below the last one means a new start. */
export type InstanceStats = {
  sampledAt: Date;
  cpuSeconds: number;
  /** What the guest uses when its balloon driver tells, otherwise what the host gives it. */
  memoryBytes: number;
  /** Of all disks. */
  disk: DiskStats;
  /** The same by attached volume. */
  volumes: { id: string; disk: DiskStats }[];
  network: { receivedBytes: number; sentBytes: number };
  /** Bytes that left the platform's private networks. */
  egressBytes: number;
  /** The same by port. */
  portEgress: { id: string; bytes: number }[];
};

/** The screen (RFB), which takes any number of clients, and the serial port, which takes one at a time. */
export type ConsoleKind = 'vnc' | 'serial';

/** What the host has for guests and services, and what those that run were promised of it. */
export type HostCapacity = {
  vcpus: { total: number; committed: number };
  /**
   * `overhead` is what each guest takes besides its own memory; `committed` counts it. `free` is promised to nobody:
   * neither to a guest nor to a service that does not use all its memory yet.
   */
  memoryMb: { total: number; committed: number; free: number; overhead: number };
  /** `held` is what guests' disks, volumes and snapshots take now; they may grow. */
  diskBytes: { total: number; free: number; held: number };
  gpuSlices: number;
};

/**
 * Machines. Every call is idempotent and may be repeated after a crash at any point; calls about one instance queue up,
 * except that removal interrupts whatever else waits on that instance.
 */
export interface ComputeEngine {
  /**
   * Makes the instance what its spec says, and answers soon: settled once it is booted, halted or switched off. Otherwise the
   * work continues; the next call, also after a crash of the caller, returns its progress or its result.
   * @throws EngineError `CAPACITY_EXHAUSTED` before anything is allocated, `NOT_FOUND` for an unknown image or volume
   */
  ensureInstance(spec: InstanceSpec): Promise<Settlement>;
  /**
   * Restarts a running guest: `soft` by its power button and, if it does not react in time, as `hard`. Settled once the
   * guest is up again. Each request reboots once, however often it is repeated.
   * @throws EngineError `NOT_FOUND` when the machine is off
   */
  rebootInstance(id: string, mode: 'soft' | 'hard', request: string): Promise<Settlement>;
  /** Switches a machine off that nobody has a spec of, and keeps all its data; no error when it is off or gone. */
  stopInstance(id: string): Promise<void>;
  /** Removes process, disk, seed and logs; no error when some or all are gone. */
  removeInstance(id: string): Promise<void>;
  observeInstances(): Promise<ObservedInstance[]>;
  /**
   * Connects to a console: what is written goes into the machine, and destroying the stream ends the connection.
   * @throws EngineError `NOT_FOUND` when the machine is off
   */
  openConsole(id: string, kind: ConsoleKind): Promise<Duplex>;
  /** The last lines that the guest wrote to its serial port, over all of its boots. */
  consoleLog(id: string, lines: number): Promise<{ output: string; truncated: boolean }>;
  /** The lines of the serial port after a cursor, as of the time when they are read; from the oldest one kept where there is none. */
  readConsole(id: string, cursor: string | null, limit: number): Promise<LogPage>;
  /** null when the machine is off. */
  sampleInstance(id: string): Promise<InstanceStats | null>;
  capacity(): Promise<HostCapacity>;
}
