/** Numbers of system calls, and the architecture as the kernel names it (linux/audit.h). */
interface Architecture {
  readonly audit: number;
  /** x32 programs use the same architecture with other numbers, from here on. */
  readonly foreignFrom?: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly clone: number;
  readonly unshare: number;
  readonly setns: number;
  /** add_key, request_key, keyctl: the user's keyrings are those of the host. */
  readonly keys: readonly number[];
  /** bpf, userfaultfd, perf_event_open: nothing that builds and tests need, much that attacks on the kernel do. */
  readonly rare: readonly number[];
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    socket: 41,
    socketpair: 53,
    clone: 56,
    unshare: 272,
    setns: 308,
    keys: [248, 249, 250],
    rare: [321, 323, 298],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    clone: 220,
    unshare: 97,
    setns: 268,
    keys: [217, 218, 219],
    rare: [280, 282, 241],
  },
};

/** The same on all architectures. io_uring would make sockets without any of the calls that are looked at. */
const CLONE3 = 435;
const IO_URING = [425, 426, 427];
const CLONE_NEWUSER = 0x10000000;
/** AF_INET, AF_INET6, AF_NETLINK (which lists the interfaces). Not AF_UNIX: daemons of the host; not AF_VSOCK: the hypervisor. */
const FAMILIES = [2, 10, 16];
/** SOCK_STREAM, SOCK_SEQPACKET: a pair of these stays a pair; one of datagrams can send to any other socket. */
const PAIRS = [1, 5];

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const [EPERM, ENOSYS] = [ERRNO | 1, ERRNO | 38];
/** Offsets in struct seccomp_data. */
const [NUMBER, ARCHITECTURE, FIRST, SECOND] = [0, 4, 16, 24];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const isEqual = (value: number, ifTrue: number, ifFalse: number): Instruction => [0x15, ifTrue, ifFalse, value];

/**
 * The seccomp filter of enclosed programs, for `bwrap --seccomp`; undefined for machines whose calls are not known here. It refuses
 * Unix sockets, new user namespaces (which would give all rights over mounts again), io_uring and the user's keyrings.
 */
export function seccompFilter(architecture: NodeJS.Architecture): Uint8Array | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const { audit, foreignFrom, socket, socketpair, clone, unshare, setns, keys, rare } = known;
  return assemble([
    load(ARCHITECTURE),
    isEqual(audit, 1, 0),
    answer(ENOSYS),
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : ([[0x35, 0, 1, foreignFrom], answer(ENOSYS)] as const)),
    ...onlyOf(socket, [load(FIRST)], FAMILIES),
    ...onlyOf(socketpair, [load(SECOND), [0x54, 0, 0, 0xf]], PAIRS),
    ...[clone, unshare].flatMap((number) => withoutFlag(number, CLONE_NEWUSER)),
    // Its flags lie in memory, where no filter sees them. C libraries fall back to clone.
    ...[CLONE3, ...IO_URING].flatMap((number) => refuse(number, ENOSYS)),
    ...[setns, ...keys, ...rare].flatMap((number) => refuse(number, EPERM)),
    answer(ALLOW),
  ]);
}

function refuse(number: number, how: number): readonly Instruction[] {
  return [isEqual(number, 0, 1), answer(how)];
}

function withoutFlag(number: number, flag: number): readonly Instruction[] {
  return [isEqual(number, 0, 4), load(FIRST), [0x45, 0, 1, flag], answer(EPERM), answer(ALLOW)];
}

function onlyOf(number: number, read: readonly Instruction[], values: readonly number[]): readonly Instruction[] {
  const checks = values.map((value, at) => isEqual(value, values.length - at, 0));
  const body = [...read, ...checks, answer(EPERM), answer(ALLOW)];
  return [isEqual(number, 0, body.length), ...body];
}

/** struct sock_filter: 16 bits of code, two jumps of 8, a value of 32. Both architectures are little-endian. */
function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [at, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
