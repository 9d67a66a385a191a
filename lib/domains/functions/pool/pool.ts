import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { EngineError } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { type FunctionEngine, type InstanceEnd, type InstanceError, type Outcome, StartFailure } from '../engine';
import { ASYNC_PAYLOAD_BYTES, type FunctionError, type InvocationStatus, type Trigger } from '../schema';
import { Egress } from './egress';
import { type RunnableVersion, Versions } from './facts';
import { Figures } from './figures';
import { type Acquired, Instances } from './instances';
import { Ledger } from './ledger';
import { AttemptLog, type LiveLine } from './lines';
import type { Ended } from './records';
import { StoredLines } from './stored-lines';

/** What a caller wants to run. */
export type PoolCall = {
  invocation_id: string;
  project_id: string;
  function_id: string;
  /** Of its project, read when the call had come; null: it was not read (docs/decisions/0152). */
  epoch: number | null;
  trigger: Trigger;
  caller: { kind: string; id: string } | null;
  payload: unknown;
};

/** A queued event that a pool has claimed, with the version that it was claimed for. */
export type ClaimedCall = Omit<PoolCall, 'epoch'> & { version: number; failures: number };

export type PoolAnswer = {
  status: Exclude<InvocationStatus, 'queued' | 'running' | 'dead_letter'>;
  result: unknown;
  error: FunctionError | null;
  duration_ms: number;
  memory_mb: number;
  cold_start: boolean;
};

/** Seconds before each retry of a queued invocation. */
export const RETRY_AFTER_S = [10, 60] as const;
/** Seconds until a queued invocation is tried again that the platform could not start. */
const LATER_S = 5;
/** Results that are kept in the history. */
const KEPT_RESULT = 256 * 1024;

/** Versions to try for one call. A caller retries when they change faster than one can start. */
const MOST_MOVES = 5;

type Attempt<Recorded> = { answer: PoolAnswer; log: AttemptLog; recorded: Recorded };

/** Runs the functions of a cell: one for each host, in its worker (docs/decisions/0105). */
export class FunctionPool {
  readonly id = newId();
  readonly ledger: Ledger;
  readonly egress: Egress;
  readonly instances: Instances;
  readonly figures = new Figures();
  readonly lines: StoredLines;
  readonly versions = new Versions();
  private readonly busy = new Map<string, number>();
  private readonly followers = new Map<string, Set<(line: LiveLine) => void>>();
  private readonly running = new Map<string, Set<AttemptLog>>();
  private readonly invoked = new Set<string>();
  private readonly work = new Set<Promise<unknown>>();
  private isStopping = false;

  constructor(cell: string, engine: FunctionEngine, most: { hostMb: number; projectMb: number }) {
    this.ledger = new Ledger(cell, this.id, () => this.work.size);
    this.egress = new Egress(engine, this.id);
    this.instances = new Instances(cell, engine, this.egress, most);
    this.lines = new StoredLines();
  }

  /** How many events of a function run now. */
  busyOf = (functionId: string): number => this.busy.get(functionId) ?? 0;
  /** How many events run now, by function. */
  busyFunctions = (): ReadonlyMap<string, number> => this.busy;

  /**
   * Runs a function for one event whose caller waits.
   * @throws ApiError 404, 429 beyond its concurrency, 503; nothing was started then, and nothing is billed
   */
  invoke(call: PoolCall): Promise<PoolAnswer> {
    return this.tracked(this.invokeNow(call));
  }

  /** Runs the version that serves. */
  private async invokeNow(call: PoolCall): Promise<PoolAnswer> {
    let epoch = call.epoch;
    for (let move = 0; move < MOST_MOVES; move += 1) {
      const version = await this.servingVersion(call.function_id, epoch);
      if (!version || version.project_id !== call.project_id) throw gone();
      this.requireSlot(version);
      try {
        return await this.inSlot(version, () => this.invokeVersion(version, call));
      } catch (error) {
        // There may be room for the version that serves now.
        if (!(error instanceof EngineError && (await this.hasMoved(version)))) throw error;
      }
      epoch = null;
    }
    throw new ApiError('SERVICE_UNAVAILABLE', 'The function is changing. Try again in a moment.');
  }

  /** The version as it is remembered, unless its concurrency would refuse the call. */
  private async servingVersion(id: string, epoch: number | null): Promise<RunnableVersion | undefined> {
    const version = await this.versions.current(id, epoch);
    const isFull = version !== undefined && this.busyOf(id) >= version.concurrency;
    return isFull && epoch !== null ? this.versions.current(id, null) : version;
  }

  private async hasMoved({ function_id, version }: RunnableVersion): Promise<boolean> {
    return (await this.versions.current(function_id, null))?.version !== version;
  }

  private async invokeVersion(version: RunnableVersion, call: PoolCall): Promise<PoolAnswer> {
    const { invocation_id, project_id, function_id, trigger, caller } = call;
    const text = JSON.stringify(call.payload ?? null);
    const payload = text.length > ASYNC_PAYLOAD_BYTES ? null : text;
    const { name, version: number } = version;
    const start = { id: invocation_id, project_id, function_id, name, version: number, trigger, caller, payload };
    const attempt = await this.attempt(version, call, () => this.ledger.start(start));
    // Never: only a claimed event can be taken away from its pool.
    if (!attempt) throw gone();
    await this.ledger.end(attempt.recorded, endedOf(invocation_id, attempt.answer, attempt.log, null));
    return attempt.answer;
  }

  /** Runs a queued invocation that this pool has claimed, and writes down how that ended. */
  runClaimed(claimed: ClaimedCall): Promise<void> {
    return this.tracked(this.runClaimedNow(claimed));
  }

  private async runClaimedNow(claimed: ClaimedCall): Promise<void> {
    const version = await this.versions.find(claimed.function_id, claimed.version);
    if (!version) return;
    const { invocation_id: id, failures } = claimed;
    await this.inSlot(version, async () => {
      try {
        const attempt = await this.attempt(version, claimed, () => this.ledger.startClaimed(id));
        if (attempt) await this.ledger.endClaimed(endedOf(id, attempt.answer, attempt.log, failures));
      } catch (error) {
        log.info({ err: error, invocation: id }, 'a queued invocation could not be started; it is tried again');
        await this.ledger.giveBack(id, LATER_S);
      }
    });
  }

  /** Loads the code of a version once. @throws StartFailure, EngineError */
  async warmUp(version: RunnableVersion): Promise<void> {
    const lines = this.newLog(version, version.id);
    const { warm } = await this.instances.acquire(version, ({ stream, message }) => lines.add(stream, message));
    this.instances.release(warm, true);
  }

  /** Hears the lines of a function as they come, after those of what runs now. @returns how to stop */
  follow(functionId: string, hear: (line: LiveLine) => void): () => void {
    for (const lines of this.running.get(functionId) ?? []) for (const line of lines.lines()) hear(line);
    const heard = this.followers.get(functionId) ?? new Set();
    heard.add(hear);
    this.followers.set(functionId, heard);
    return () => {
      heard.delete(hear);
      if (heard.size === 0) this.followers.delete(functionId);
    };
  }

  /** Functions that were invoked since the last call. */
  takeInvoked(): string[] {
    const taken = [...this.invoked];
    this.invoked.clear();
    return taken;
  }

  /** Takes on nothing more, gives what runs so long to end, then ends everything. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    await Promise.race([
      Promise.allSettled([...this.work]),
      new Promise((resolve) => setTimeout(resolve, graceMs).unref()),
    ]);
    await this.instances.stop();
    await Promise.allSettled([...this.work]);
    await this.ledger.close();
    await this.egress.stop();
    await this.lines.flush();
  }

  private async tracked<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    try {
      return await work;
    } finally {
      this.work.delete(work);
    }
  }

  private requireSlot({ function_id, concurrency, name }: RunnableVersion): void {
    if (this.isStopping)
      throw new ApiError('SERVICE_UNAVAILABLE', 'The platform is restarting. Try again in a moment.');
    if (this.busyOf(function_id) < concurrency) return;
    this.figures.of(function_id).throttled += 1;
    throw new ApiError('RATE_LIMITED', `Function ${name} runs ${concurrency} events already, its concurrency.`);
  }

  private async inSlot<T>({ function_id }: RunnableVersion, work: () => Promise<T>): Promise<T> {
    this.busy.set(function_id, this.busyOf(function_id) + 1);
    this.figures.of(function_id).reached(this.busyOf(function_id));
    this.invoked.add(function_id);
    try {
      return await work();
    } finally {
      const left = this.busyOf(function_id) - 1;
      if (left > 0) this.busy.set(function_id, left);
      else this.busy.delete(function_id);
    }
  }

  private newLog(version: RunnableVersion, id: string): AttemptLog {
    return new AttemptLog(id, (line) => {
      for (const hear of this.followers.get(version.function_id) ?? []) hear(line);
      this.lines.add(version, line);
    });
  }

  /**
   * One start of the handler, once there is an instance for it and the start is written down.
   * @param record writes it down; false: the event was taken away, or the function is gone
   * @returns undefined where it was not written down, and not started
   * @throws ApiError, EngineError where nothing was started
   */
  private async attempt<Recorded>(
    version: RunnableVersion,
    call: Pick<PoolCall, 'invocation_id' | 'payload'>,
    record: () => Promise<Recorded | false>,
  ): Promise<Attempt<Recorded> | undefined> {
    const id = call.invocation_id;
    const lines = this.newLog(version, id);
    const logs = this.running.get(version.function_id) ?? new Set();
    logs.add(lines);
    this.running.set(version.function_id, logs);
    try {
      lines.add('platform', `START RequestId: ${id} Version: ${version.version}`);
      const acquired = await this.instances
        .acquire(version, ({ stream, message }) => lines.add(stream, message))
        .catch(failureOf);
      const recorded = await record().catch((error) => {
        if ('warm' in acquired) this.instances.release(acquired.warm, true);
        throw error;
      });
      if (!recorded) {
        if ('warm' in acquired) this.instances.release(acquired.warm, false);
        return undefined;
      }
      const answer = 'warm' in acquired ? await this.handle(version, acquired, call) : answerOfStart(acquired);
      const init = 'warm' in acquired && acquired.cold ? `\tInit Duration: ${acquired.initMs.toFixed(2)} ms` : '';
      if (answer.error && answer.status !== 'succeeded')
        lines.add('platform', `${id} ${answer.error.type}: ${answer.error.message}`.slice(0, 8000));
      lines.add('platform', `END RequestId: ${id}`);
      lines.add(
        'platform',
        `REPORT RequestId: ${id}\tDuration: ${answer.duration_ms.toFixed(2)} ms\tMemory Size: ${version.memory_mb} MB\tMax Memory Used: ${answer.memory_mb} MB${init}\tStatus: ${answer.status}`,
      );
      this.figures.of(version.function_id).ended(answer);
      return { answer, log: lines, recorded };
    } finally {
      logs.delete(lines);
      if (logs.size === 0) this.running.delete(version.function_id);
    }
  }

  private async handle(
    version: RunnableVersion,
    { warm, cold }: Acquired,
    call: Pick<PoolCall, 'invocation_id' | 'payload'>,
  ): Promise<PoolAnswer> {
    const timeoutMs = version.timeout_s * 1000;
    const outcome = await warm.instance.invoke({ id: call.invocation_id, event: call.payload, timeoutMs });
    this.instances.release(warm, true);
    return answerOf(outcome, version, cold);
  }
}

const gone = () => new ApiError('RESOURCE_NOT_FOUND', 'The function was not found in this project.');

/** Code that does not load is a failure of the function; everything else is the platform's, and refuses the event. */
function failureOf(reason: unknown): StartFailure {
  if (reason instanceof StartFailure) return reason;
  throw reason;
}

function answerOfStart({ error, end }: StartFailure): PoolAnswer {
  const status = end?.reason === 'memory' ? 'out_of_memory' : 'failed';
  return { status, result: null, error, duration_ms: 0, memory_mb: 0, cold_start: true };
}

function answerOf(outcome: Outcome, version: RunnableVersion, cold: boolean): PoolAnswer {
  const facts = {
    duration_ms: Math.round(outcome.durationMs * 100) / 100,
    memory_mb: Math.min(outcome.memoryMb, version.memory_mb),
    cold_start: cold,
  };
  switch (outcome.kind) {
    case 'result':
      return { ...facts, status: 'succeeded', result: outcome.result, error: null };
    case 'error':
      return { ...facts, status: 'failed', result: null, error: outcome.error };
    case 'ended':
      return { ...facts, status: statusOf(outcome.end), result: null, error: errorOf(outcome.end, version) };
  }
}

function statusOf(end: InstanceEnd): PoolAnswer['status'] {
  if (end.reason === 'timeout') return 'timed_out';
  return end.reason === 'memory' ? 'out_of_memory' : 'failed';
}

function errorOf(end: InstanceEnd, { timeout_s, memory_mb }: RunnableVersion): InstanceError {
  const error = (type: string, message: string) => ({ type, message, stack: null });
  switch (end.reason) {
    case 'timeout':
      return error('Function.Timeout', `The handler took longer than ${timeout_s} s.`);
    case 'memory':
      return error('Function.OutOfMemory', `The function needed more than its ${memory_mb} MB of memory.`);
    case 'log':
      return error('Function.LogTooLarge', 'The function wrote more than 4 MB to its log during one event.');
    case 'protocol':
      return error('Runtime.ProtocolError', 'The code has written to the channel of its runtime.');
    case 'exit':
      return end.signal === null
        ? error('Runtime.ExitError', `The runtime exited with status ${end.code ?? 0} before the handler returned.`)
        : error('Runtime.Crashed', `The runtime was ended by signal ${end.signal}.`);
  }
}

/** @param failures of earlier attempts of a queued invocation; null: there are no others */
function endedOf(id: string, answer: PoolAnswer, lines: AttemptLog, failures: number | null): Ended {
  const { status, error, duration_ms, memory_mb, cold_start } = answer;
  const result = answer.result === null ? null : JSON.stringify(answer.result);
  const isFailed = status !== 'succeeded';
  const again_s = isFailed && failures !== null ? (RETRY_AFTER_S[failures] ?? null) : null;
  return {
    id,
    status: isFailed && failures !== null ? (again_s === null ? 'dead_letter' : 'queued') : status,
    result: result !== null && result.length > KEPT_RESULT ? null : result,
    error,
    log: lines.text(),
    log_truncated: lines.isTruncated,
    duration_ms,
    memory_mb,
    cold_start,
    failed: isFailed,
    ended_at: now().toISOString(),
    again_s,
  };
}
