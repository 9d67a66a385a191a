import { detailOf } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';

/** A user that owns nothing, as instances of functions have when the platform is root. */
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

/** Why this host can't keep an instance of a function in a sandbox; null where it can. */
export async function functionTrouble(host: Host): Promise<string | null> {
  const options = [
    '--unshare-user',
    '--unshare-all',
    '--disable-userns',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--cap-drop',
    'ALL',
  ];
  const places = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const command = ['bwrap', ...options, ...places, '--', '/bin/true'];
  return run([...(host.isolation === 'root' ? NOBODY : []), ...command]).then(
    () => null,
    (error) => `Functions cannot be kept in sandboxes on this host: ${detailOf(error)}`,
  );
}
