import type { DiskLimits, InstanceSpec } from '@/lib/domains/compute/engine';
import type { Accelerator } from '../accelerator';
import type { Host } from '../host';
import { tapName } from '../network/names';
import { bootDiskFile, consoleLogFile, monitorSocket, seedFile, serialSocket, vncSocket } from './instance-record';

const SANDBOX = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny';

/** What a guest's disks may take of the host's, each for itself, unless its spec says otherwise. */
const DEFAULT_DISK_LIMITS: DiskLimits = { iops: 2_000, bytesPerSecond: 200 * 1024 ** 2 };

export type BootMedia = { disc: string | null };

/** The command that runs a guest; its bounds are set before it. */
export function qemuCommand(host: Host, spec: InstanceSpec, accelerator: Accelerator, media: BootMedia): string[] {
  return [
    'qemu-system-x86_64',
    ...['-name', `nephele-${spec.id}`, '-uuid', spec.id],
    ...['-machine', 'q35,hpet=off,vmport=off', ...accelerator.arguments],
    ...['-smp', `${spec.vcpus}`, '-m', `${spec.ramMb}M`],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-rtc', 'base=utc', '-sandbox', SANDBOX],
    // A guest that switches itself off stays as a process until the engine has seen why.
    '-no-shutdown',
    ...['-smbios', `type=1,manufacturer=Nephele,product=Nephele instance,serial=${spec.id},uuid=${spec.id}`],
    ...consoles(host, spec.id),
    ...['-object', 'rng-random,id=entropy,filename=/dev/urandom', '-device', 'virtio-rng-pci,rng=entropy'],
    ...['-device', 'virtio-balloon-pci,id=balloon,free-page-reporting=on,deflate-on-oom=on'],
    ...['-device', 'virtio-scsi-pci,id=scsi'],
    ...bootDisks(host, spec, media),
    ...spec.ports.flatMap((port, index) => [
      ...['-netdev', `tap,id=net${index},ifname=${tapName(port.id)},script=no,downscript=no`],
      ...['-device', `virtio-net-pci,netdev=net${index},mac=${port.mac},romfile=`],
    ]),
  ];
}

function consoles(host: Host, id: string): string[] {
  const socket = (path: string) => `path=${escaped(path)},server=on,wait=off`;
  return [
    ...['-chardev', `socket,id=monitor,${socket(monitorSocket(host, id))}`, '-mon', 'chardev=monitor,mode=control'],
    '-chardev',
    `socket,id=serial,${socket(serialSocket(host, id))},logfile=${escaped(consoleLogFile(host, id))},logappend=on`,
    ...['-device', 'isa-serial,chardev=serial'],
    ...['-vnc', `unix:${escaped(vncSocket(host, id))},share=force-shared`, '-device', 'VGA,vgamem_mb=16'],
    ...['-device', 'qemu-xhci', '-device', 'usb-tablet'],
  ];
}

function bootDisks(host: Host, spec: InstanceSpec, media: BootMedia): string[] {
  const boot = qcow2Nodes('boot', bootDiskFile(host, spec.id, spec.disk.generation));
  const options = [
    ...['-object', JSON.stringify({ 'qom-type': 'throttle-group', ...throttleGroup('boot-limits', spec.diskLimits) })],
    ...boot.flatMap((node) => ['-blockdev', JSON.stringify(node)]),
    ...[
      '-blockdev',
      JSON.stringify({
        driver: 'throttle',
        'node-name': 'boot-limited',
        'throttle-group': 'boot-limits',
        file: 'boot',
      }),
    ],
    ...['-device', 'virtio-blk-pci,id=boot-disk,drive=boot-limited,bootindex=1,serial=boot,werror=stop,rerror=report'],
    ...['-blockdev', readOnlyFile('seed', seedFile(host, spec.id))],
    ...['-device', 'virtio-blk-pci,id=seed-disk,drive=seed,serial=seed'],
  ];
  if (media.disc === null) return options;
  return [
    ...options,
    ...['-blockdev', readOnlyFile('disc', media.disc)],
    ...['-device', 'ide-cd,id=disc-drive,drive=disc,bootindex=2'],
  ];
}

/** A QCOW2 file as QEMU's block nodes: the guest's discards free room on the host. */
export function qcow2Nodes(name: string, file: string): Record<string, unknown>[] {
  const discard = { discard: 'unmap' };
  return [
    { driver: 'file', 'node-name': `${name}-file`, filename: file, ...discard },
    { driver: 'qcow2', 'node-name': name, file: `${name}-file`, ...discard, 'detect-zeroes': 'unmap' },
  ];
}

/** Arguments of a throttle group, with bursts of ten seconds' worth so that boots and small files stay quick. */
export function throttleGroup(id: string, limits: DiskLimits = DEFAULT_DISK_LIMITS): { id: string; limits: object } {
  return {
    id,
    limits: {
      'iops-total': limits.iops,
      'iops-total-max': limits.iops * 5,
      'iops-total-max-length': 10,
      'bps-total': limits.bytesPerSecond,
    },
  };
}

const readOnlyFile = (name: string, filename: string) =>
  JSON.stringify({
    driver: 'raw',
    'node-name': name,
    'read-only': true,
    file: { driver: 'file', filename, 'read-only': true },
  });

/** QEMU's option syntax: a comma in a value is doubled. */
const escaped = (value: string) => value.replaceAll(',', ',,');
