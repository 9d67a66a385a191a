import { GUEST_GROUP, guestUser, type Host } from './host';

/**
 * Prefix of a command that works on a guest's or a tenant's data. As root it becomes a user of its own; without root it is
 * this user, who inside our user namespace would be root with every capability and so gives them all up.
 */
export function dropPrivileges(host: Host, name: string, inNamespace: boolean): string[] {
  const user = guestUser(host, name);
  const identity = user === null ? [] : [`--reuid=${user}`, `--regid=${GUEST_GROUP}`, '--clear-groups'];
  const capabilities = user !== null || inNamespace ? ['--bounding-set=-all'] : [];
  return ['setpriv', ...identity, '--inh-caps=-all', ...capabilities, '--no-new-privs', '--'];
}

/** The same for a short-lived program that reads what a stranger has sent: little memory and time, and nothing written. */
export function confine(host: Host, name: string, argv: readonly string[]): string[] {
  const limits = ['--as=4294967296', '--cpu=120', '--fsize=0', '--nofile=64', '--core=0'];
  return ['prlimit', ...limits, ...dropPrivileges(host, name, false), ...argv];
}
