import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import {
  type FunctionInstance,
  type InstanceEnd,
  type InstanceEvent,
  type InstanceLine,
  type Outcome,
  StartFailure,
} from '@/lib/domains/functions/engine';
import { FrameReader, frame } from '@/lib/frames';
import { log } from '@/lib/log';
import { programEnvironment, run } from '../exec';
import { processesOf, residentBytes } from '../services/sandbox';
import { OutputLines } from './output-lines';

/** Largest result of an event, and what its frame has beside it. */
const RESULT_BYTES = 6 * 1024 ** 2;
const FRAME_BYTES = RESULT_BYTES + 64 * 1024;
/** Log of one event; more ends the instance. */
const LOG_BYTES = 4 * 1024 ** 2;
/** How long loading the code may take. */
const LOAD_MS = 20_000;
/** How often memory is measured where the kernel does not limit it: while an event runs, and otherwise every tenth time. */
const WATCH_MS = 50;
const WATCH_IDLE_EVERY = 10;
/** Lines that explain why it did not start. */
const MOST_LAST_ERRORS = 20;
const MB = 1024 ** 2;

export type Started = {
  argv: readonly string[];
  /** What the launcher reads; it may hold nothing secret. */
  config: string;
  limits: { nproc: number | null; memoryBytes: number | null };
  /** The connection of events, where it is not file descriptor 3. */
  channel: Promise<Socket> | null;
  /** Where the kernel counts its memory. */
  memoryFolder: string | null;
  oomFile: string | null;
  cleanUp(): Promise<void>;
};

/** What the runtime is told first. */
export type Facts = { handler: string; environment: Readonly<Record<string, string>> } & Record<string, unknown>;

const answer = z.object({
  ready: z.boolean().optional(),
  ends: z.boolean().optional(),
  result: z.unknown().optional(),
  too_large: z.number().optional(),
  memory: z.boolean().optional(),
  error: z.object({ type: z.string(), message: z.string(), stack: z.string().nullable() }).optional(),
});
type Answer = z.output<typeof answer>;
const boxInfo = z.object({ 'child-pid': z.int() });

type Waiting = { settle(heard: Answer | InstanceEnd): void };
const isEnd = (heard: Answer | InstanceEnd): heard is InstanceEnd => 'reason' in heard;

/** A process that runs a function, in its sandbox. */
export class Instance implements FunctionInstance {
  private readonly reader = new FrameReader(FRAME_BYTES);
  private readonly lines: { stdout: OutputLines; stderr: OutputLines };
  private waiting: Waiting | undefined;
  private channel: Writable | undefined;
  private alive = true;
  /** Why it was killed, where that was our doing. */
  private cause: InstanceEnd | undefined;
  private readonly exited: Promise<void>;
  private readonly listeners: (() => void)[] = [];
  private logBytes = 0;
  private watch: NodeJS.Timeout | undefined;
  private looks = 0;
  private peakMb = 0;
  private heapIsFull = false;
  private readonly lastErrors: string[] = [];
  private boxPid: number | undefined;
  /** Where the kernel says how much memory it has used at most; null where it does not. */
  private peakFile: number | null | undefined;

  private constructor(
    private readonly process: ChildProcess,
    private readonly started: Started,
    private readonly hear: (line: InstanceLine) => void,
  ) {
    const collect = (stream: 'stdout' | 'stderr') =>
      new OutputLines((message) => {
        if (stream === 'stderr' && this.lastErrors.push(message) > MOST_LAST_ERRORS) this.lastErrors.shift();
        if (stream === 'stderr' && HEAP_IS_FULL.test(message)) this.heapIsFull = true;
        this.hear({ stream, message });
      });
    this.lines = { stdout: collect('stdout'), stderr: collect('stderr') };
    for (const stream of ['stdout', 'stderr'] as const) {
      this.process[stream]?.on('data', (piece: Buffer) => this.logged(stream, piece)).on('error', () => {});
    }
    this.exited = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        this.over(code, signal).finally(resolve);
      });
    });
    this.process.once('error', () => {});
  }

  /** @throws StartFailure */
  static async start(started: Started, facts: Facts, hear: (line: InstanceLine) => void): Promise<Instance> {
    const [program = '', ...args] = started.argv;
    const isWatched = started.limits.nproc !== null;
    const child = spawn(program, args, {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'ignore', isWatched ? 'pipe' : 'ignore', isWatched ? 'pipe' : 'ignore'],
      env: programEnvironment(),
    });
    const instance = new Instance(child, started, hear);
    child.stdin?.on('error', () => {}).end(started.config);
    try {
      if (isWatched) await instance.limited();
      await instance.load(facts);
      return instance;
    } catch (error) {
      await instance.kill();
      throw error;
    }
  }

  /** Without cgroups: sets the limits of the process that waits in the new sandbox, then lets it go on. */
  private async limited(): Promise<void> {
    const pipes: readonly unknown[] = this.process.stdio;
    const [info, block] = [pipes[5], pipes[6]];
    if (!isReadable(info) || !isWritable(block)) throw new Error('the launcher has no pipes');
    block.on('error', () => {});
    const text = await new Promise<string>((resolve) => {
      let all = '';
      info.setEncoding('utf8');
      info.on('data', (piece: string) => {
        all += piece;
        if (all.trimEnd().endsWith('}')) resolve(all);
      });
      info.on('close', () => resolve(all));
    });
    const parsed = boxInfo.safeParse(text.trim() === '' ? null : JSON.parse(text)).data;
    if (!parsed) return;
    this.boxPid = parsed['child-pid'];
    const { nproc, memoryBytes } = this.started.limits;
    await run(['prlimit', `--pid=${this.boxPid}`, `--nproc=${nproc}`]);
    block.end('1');
    if (memoryBytes !== null) this.watch = setInterval(() => this.look(memoryBytes), WATCH_MS);
  }

  private async look(most: number): Promise<void> {
    this.looks += 1;
    if (!this.waiting && this.looks % WATCH_IDLE_EVERY !== 0) return;
    if (this.boxPid === undefined || !this.alive) return;
    const bytes = await residentBytes(processesOf(this.boxPid));
    this.peakMb = Math.max(this.peakMb, Math.ceil(bytes / MB));
    if (bytes > most) this.end({ reason: 'memory' });
  }

  private async load(facts: Facts): Promise<void> {
    const connected = this.started.channel ? await this.connection(this.started.channel) : this.process.stdio[3];
    if (!isWritable(connected) || !isReadable(connected))
      throw await this.notStarted({ reason: 'exit', code: null, signal: null });
    this.channel = connected;
    connected.on('error', () => {});
    connected.on('data', (piece: Buffer) => this.received(piece));
    const heard = await this.ask({ ...facts, result_bytes: RESULT_BYTES }, LOAD_MS);
    if (isEnd(heard)) throw await this.notStarted(heard);
    if (heard.ready) return;
    throw new StartFailure(
      heard.error ?? { type: 'Runtime.InitError', message: 'The runtime did not start.', stack: null },
      null,
    );
  }

  private connection(channel: Promise<Socket>): Promise<Socket | undefined> {
    return Promise.race([channel, this.exited.then(() => undefined)]);
  }

  private async notStarted(end: InstanceEnd): Promise<StartFailure> {
    return new StartFailure(
      { type: 'Runtime.InitError', message: loadingEnd(end), stack: this.lastErrors.join('\n') || null },
      end,
    );
  }

  isAlive(): boolean {
    return this.alive && this.cause === undefined;
  }

  onEnd(listener: () => void): void {
    if (this.alive) this.listeners.push(listener);
    else listener();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  async invoke({ id, event, timeoutMs }: InstanceEvent): Promise<Outcome> {
    this.logBytes = 0;
    const begun = performance.now();
    const heard = await this.ask({ id, event, deadline_ms: Date.now() + timeoutMs }, timeoutMs);
    const measured = { durationMs: Math.min(performance.now() - begun, timeoutMs), memoryMb: this.memoryMb() };
    if (isEnd(heard)) return { ...measured, kind: 'ended', end: heard };
    if (heard.memory) {
      await this.kill();
      return { ...measured, kind: 'ended', end: { reason: 'memory' } };
    }
    if (heard.ends) await this.kill();
    if (heard.too_large !== undefined) {
      const message = `The result has ${heard.too_large} bytes; at most ${RESULT_BYTES} are allowed.`;
      return { ...measured, kind: 'error', error: { type: 'Function.ResponseTooLarge', message, stack: null } };
    }
    if (heard.error) return { ...measured, kind: 'error', error: heard.error };
    return { ...measured, kind: 'result', result: heard.result ?? null };
  }

  /** Sends a message, and waits for the answer with everything that was written before it, or for the end. */
  private async ask(message: object, timeoutMs: number): Promise<Answer | InstanceEnd> {
    if (!this.alive) return this.cause ?? { reason: 'exit', code: null, signal: null };
    const heard = await new Promise<Answer | InstanceEnd>((resolve) => {
      const timer = setTimeout(() => this.end({ reason: 'timeout' }), timeoutMs);
      this.waiting = {
        settle: (what) => {
          clearTimeout(timer);
          this.waiting = undefined;
          resolve(what);
        },
      };
      this.channel?.write(frame(message));
    });
    if (!isEnd(heard)) await this.drained();
    return heard;
  }

  /**
   * Waits until both streams have delivered what was written before the answer. It was in their buffers when the answer was
   * read, and one round of the event loop reads all that its streams have.
   */
  private async drained(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const lines of [this.lines.stdout, this.lines.stderr]) lines.complete();
  }

  private received(piece: Buffer): void {
    try {
      for (const message of this.reader.read(piece)) {
        const parsed = answer.parse(message);
        if (this.waiting) this.waiting.settle(parsed);
        // Nobody asked: only the code itself can have written this.
        else if (!parsed.ends) this.end({ reason: 'protocol' });
      }
    } catch {
      this.end({ reason: 'protocol' });
    }
  }

  private logged(stream: 'stdout' | 'stderr', piece: Buffer): void {
    this.logBytes += piece.length;
    if (this.logBytes > LOG_BYTES) {
      this.end({ reason: 'log' });
      return;
    }
    this.lines[stream].write(piece);
  }

  /** Ends it for a reason of ours; whoever waits is told when it has gone. */
  private end(cause: InstanceEnd): void {
    if (this.cause || !this.alive) return;
    this.cause = cause;
    this.process.kill('SIGKILL');
  }

  private async over(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.peakMb = this.memoryMb();
    this.alive = false;
    clearInterval(this.watch);
    if (typeof this.peakFile === 'number') closeSync(this.peakFile);
    for (const lines of [this.lines.stdout, this.lines.stderr]) lines.complete();
    const end = this.cause ?? (this.wasOutOfMemory(code) ? { reason: 'memory' as const } : exitOf(code, signal));
    this.waiting?.settle(end);
    for (const listener of this.listeners.splice(0)) listener();
    this.channel?.destroy();
    await this.started
      .cleanUp()
      .catch((error) => log.warn({ err: error }, 'an instance of a function left something behind'));
  }

  /** The kernel has killed it for its memory, or V8 has given up its heap. */
  private wasOutOfMemory(code: number | null): boolean {
    if (this.heapIsFull && code !== null && V8_ABORTS.includes(code)) return true;
    if (this.started.oomFile === null) return false;
    return Number(/^oom_kill (\d+)/m.exec(readText(this.started.oomFile))?.[1] ?? 0) > 0;
  }

  /** What its processes use now, in MB. */
  async usedMb(): Promise<number> {
    const { pid } = this.process;
    return pid === undefined || !this.alive ? 0 : (await residentBytes(processesOf(pid))) / MB;
  }

  /** The most that it has used so far, in MB. */
  private memoryMb(): number {
    const { memoryFolder } = this.started;
    if (!this.alive) return this.peakMb;
    if (memoryFolder === null) {
      if (this.boxPid !== undefined && this.peakMb === 0) {
        const kilobytes = processesOf(this.boxPid).map((pid) =>
          Number(/^VmHWM:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0),
        );
        this.peakMb = Math.ceil(Math.max(0, ...kilobytes) / 1024);
      }
      return this.peakMb;
    }
    this.peakFile ??=
      openedOrNull(`${memoryFolder}/memory.peak`) ?? openedOrNull(`${memoryFolder}/memory.max_usage_in_bytes`);
    return this.peakFile === null ? 0 : Math.ceil(numberIn(this.peakFile) / MB);
  }
}

/** What V8 aborts with when its heap is full: SIGABRT or SIGTRAP, as a shell tells them; before, it says so. */
const V8_ABORTS = [134, 133];
const HEAP_IS_FULL = /JavaScript (heap )?out of memory/;

/** bubblewrap tells a signal as a shell does. */
const exitOf = (code: number | null, signal: NodeJS.Signals | null): InstanceEnd =>
  code !== null && code > 128
    ? { reason: 'exit', code: null, signal: String(code - 128) }
    : { reason: 'exit', code, signal };

const digits = Buffer.alloc(32);

/** The number that the kernel writes anew for each read from the beginning; 0 once what it counts is gone. */
function numberIn(file: number): number {
  try {
    return Number(digits.toString('latin1', 0, readSync(file, digits, 0, digits.length, 0)));
  } catch {
    return 0;
  }
}

function openedOrNull(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch {
    return null;
  }
}

const readText = (file: string) => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

function loadingEnd(end: InstanceEnd): string {
  switch (end.reason) {
    case 'timeout':
      return `Loading the code took longer than ${LOAD_MS / 1000} seconds.`;
    case 'memory':
      return 'Loading the code needs more memory than the function has.';
    case 'log':
      return 'Loading the code wrote too much to the log.';
    case 'protocol':
      return 'The code has written to the channel of its runtime.';
    case 'exit':
      return end.signal === null
        ? `The runtime exited with status ${end.code ?? 0} while it loaded the code.`
        : `The runtime was ended by signal ${end.signal} while it loaded the code.`;
  }
}

type Piped = Readable & Writable;
const isReadable = (stream: unknown): stream is Piped =>
  typeof stream === 'object' && stream !== null && 'on' in stream && 'setEncoding' in stream;
const isWritable = (stream: unknown): stream is Piped =>
  typeof stream === 'object' && stream !== null && 'write' in stream;
