import { spawn } from 'node:child_process';
import { access, chmod, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { programEnvironment } from './exec';
import type { Host } from './host';
import { builtTinyDisk } from './images/build-tiny';
import { readRecord, removePath, writeRecord } from './record';
import { waitFor } from './turns';
import { makeWorkFolder } from './work-folder';

export type Accelerator = { name: 'kvm' | 'tcg'; arguments: string[]; why: string };

/** The translation cache is bounded, or each emulated guest would grow by up to a gigabyte. */
const TCG_ARGUMENTS = ['-accel', 'tcg,thread=multi,tb-size=128', '-cpu', 'max'];
const KVM_ARGUMENTS = ['-accel', 'kvm', '-cpu', 'host'];

const KVM = '/dev/kvm';
const CANARY_MS = 20_000;

const verdict = z.object({ bootId: z.string(), name: z.enum(['kvm', 'tcg']), why: z.string() });
type Verdict = Pick<Accelerator, 'name' | 'why'>;

/**
 * How guests run here. /dev/kvm may be there and still be broken in ways that only a Linux guest meets, so one has to
 * boot with it first; the verdict is remembered until the host's next boot.
 */
export async function chooseAccelerator(host: Host): Promise<Accelerator> {
  const file = join(host.cacheDir, 'accelerator.json');
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const known = await readRecord(file, verdict);
  if (known?.bootId === bootId) return withArguments(known);
  const canary = await builtTinyDisk(host.cacheDir);
  if (!(await canOpen(KVM))) {
    return withArguments({
      name: 'tcg',
      why: `${KVM} is missing or not accessible to this user: guests are emulated and slow.`,
    });
  }
  if (!canary) {
    return withArguments({
      name: 'tcg',
      why: `${KVM} is untested until the tiny image is built: guests are emulated.`,
    });
  }
  const found = await tryHardware(host, canary);
  await writeRecord(file, { bootId, ...found });
  return withArguments(found);
}

const withArguments = ({ name, why }: Verdict): Accelerator => ({
  name,
  why,
  arguments: name === 'kvm' ? KVM_ARGUMENTS : TCG_ARGUMENTS,
});

async function tryHardware(host: Host, canary: string): Promise<Verdict> {
  const broken = `${KVM} is present, but a test guest did not boot with it: guests are emulated and slow.`;
  if (!(await canaryBoots(host, canary))) return { name: 'tcg', why: broken };
  // Guests run as users of their own; most distributions ship this device open to all.
  if (host.isolation === 'root') await chmod(KVM, 0o666);
  return { name: 'kvm', why: 'Guests run with hardware acceleration (KVM).' };
}

async function canaryBoots(host: Host, disk: string): Promise<boolean> {
  const work = await makeWorkFolder(host.cacheDir, 'canary');
  const serial = join(work, 'serial');
  const guest = spawn(
    // Nobody looks for it, so it ends with this process, however that ends.
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', '--', 'qemu-system-x86_64'],
      ...['-machine', 'q35', ...KVM_ARGUMENTS, '-m', '192M', '-nodefaults', '-no-user-config', '-display', 'none'],
      ...['-drive', `if=virtio,file=${disk},format=qcow2,snapshot=on`, '-serial', `file:${serial}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: programEnvironment() },
  );
  // A broken processor is said on standard error, while the process itself goes on waiting.
  let complained = false;
  guest.stderr.on('data', () => {
    complained = true;
  });
  guest.on('error', () => {});
  try {
    const hasFailed = () => complained || guest.exitCode !== null;
    const hasBooted = async () => (await readFile(serial, 'latin1').catch(() => '')).includes('root@nephele-tiny');
    await waitFor(async () => hasFailed() || (await hasBooted()), { timeoutMs: CANARY_MS });
    return !hasFailed() && (await hasBooted());
  } finally {
    guest.kill('SIGKILL');
    await removePath(work);
  }
}

async function canOpen(device: string): Promise<boolean> {
  return access(device, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}
