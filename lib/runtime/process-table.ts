import { readFileSync } from 'node:fs';

/** The identity of a process: a pid can be reused, pid and start time together cannot. */
export type ProcessIdentity = { pid: number; startTime: string };

/** Undefined when there is no such process; a zombie counts as none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const { state, startTime } = statOf(pid);
  return startTime && state !== 'Z' && state !== 'X' ? { pid, startTime } : undefined;
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

/** Sends a signal, unless the process has ended. */
export function send(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It ended in between.
  }
}

/** The environment of a process; empty if it belongs to another user or is gone. */
export function environmentOf(pid: number): string[] {
  return read(`/proc/${pid}/environ`).split('\0');
}

/** The npm process that started this one, directly or through a shell. */
export function npmParent(): ProcessIdentity | undefined {
  if (!process.env.npm_lifecycle_event) return undefined;
  const throughShell = /^(ba|da)?sh$/.test(read(`/proc/${process.ppid}/comm`).trim());
  return identify(throughShell ? Number(statOf(process.ppid).parent) : process.ppid);
}

function statOf(pid: number) {
  const stat = read(`/proc/${pid}/stat`);
  // The name ends at the last bracket and may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], parent: fields[1], startTime: fields[19] };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
