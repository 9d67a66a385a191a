import type { Isolation } from '../host';

/** Flags of clone(2) that make namespaces: mount, cgroup, uts, ipc, user, pid, network. */
const NAMESPACE_FLAGS = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000];

/** What no server of a tenant has any business with: other processes, the kernel's own machinery, new namespaces. */
const FORBIDDEN = [
  ...['acct', 'add_key', 'bpf', 'clock_adjtime', 'clock_settime', 'create_module', 'delete_module', 'fanotify_init'],
  ...['finit_module', 'fsconfig', 'fsmount', 'fsopen', 'fspick', 'get_kernel_syms', 'init_module', 'io_uring_enter'],
  ...['io_uring_register', 'io_uring_setup', 'ioperm', 'iopl', 'kcmp', 'kexec_file_load', 'kexec_load', 'keyctl'],
  ...['lookup_dcookie', 'mount', 'mount_setattr', 'move_mount', 'move_pages', 'name_to_handle_at', 'nfsservctl'],
  ...['open_by_handle_at', 'open_tree', 'perf_event_open', 'personality', 'pidfd_getfd', 'pivot_root'],
  ...['process_madvise', 'process_vm_readv', 'process_vm_writev', 'ptrace', 'query_module', 'quotactl'],
  ...['quotactl_fd', 'reboot', 'request_key', 'setdomainname', 'sethostname', 'setns', 'settimeofday', 'stime'],
  ...['swapoff', 'swapon', '_sysctl', 'sysfs', 'syslog', 'umount', 'umount2', 'unshare', 'uselib', 'userfaultfd'],
  ...['ustat', 'vhangup', 'vm86', 'vm86old', 'chroot'],
];

const [AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK] = [16, 17, 38, 40];
const NETLINK_ROUTE = 0;

const EPERM = 1;
const ENOMEM = 12;
const ENOSYS = 38;

const refusedSocket = (...args: object[]) => ({ names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args });

/** PostgreSQL asks for a segment of 56 bytes, to notice another server on its data. */
const LARGEST_SEGMENT = 64 * 1024;

/** Memory that belongs to no process and to no file system, which only a cgroup can count. */
const UNCOUNTED = [
  { names: ['memfd_create', 'memfd_secret'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  {
    names: ['shmget'],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: ENOMEM,
    args: [{ index: 1, value: LARGEST_SEGMENT, op: 'SCMP_CMP_GT' }],
  },
];

/**
 * The filter of system calls for services (OCI runtime specification, `linux.seccomp`). `clone3` hides its flags from
 * filters, so it is said not to exist, and libc falls back to `clone`.
 */
export const seccompFilter = (isolation: Isolation): object => ({
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures:
    process.arch === 'arm64'
      ? ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM']
      : ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  syscalls: [
    { names: FORBIDDEN, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ...NAMESPACE_FLAGS.map((flag) => ({
      names: ['clone'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: EPERM,
      args: [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }],
    })),
    // Raw packets, kernel crypto and virtual sockets reach the kernel or the host, not the network.
    ...[AF_PACKET, AF_ALG, AF_VSOCK].map((family) => refusedSocket({ index: 0, value: family, op: 'SCMP_CMP_EQ' })),
    // Of netlink only what libc reads interfaces and routes by.
    refusedSocket(
      { index: 0, value: AF_NETLINK, op: 'SCMP_CMP_EQ' },
      { index: 2, value: NETLINK_ROUTE, op: 'SCMP_CMP_NE' },
    ),
    ...(isolation === 'root' ? [] : UNCOUNTED),
  ],
});
