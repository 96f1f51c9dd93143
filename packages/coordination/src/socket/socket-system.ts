import { createHash } from "node:crypto";

/** What differs between operating systems in the sockets of one machine. */
export interface SocketSystem {
  /**
   * `file`: a socket is a file. Its mode and its folder keep others out, and a killed process leaves it behind. `pipe`: a socket is a
   * named pipe. It has no file and no mode, and ends with its process; files have no modes there either, the user's folder keeps others out.
   */
  readonly kind: "file" | "pipe";
  /** The address to listen on and to connect to. The path stays the name of the socket; its token lies beside the path. */
  readonly addressOf: (path: string) => string;
}

/**
 * `sun_path` has 108 bytes on Linux and 104 on macOS and the BSDs, the last of them 0. Longer paths are cut off or refused, so a long
 * home or temporary folder would leave a session without a socket.
 */
const LINUX_PATH_BYTES = 107;
const OTHER_PATH_BYTES = 103;
const NAME_CHARACTERS = 32;

/**
 * The sockets of an operating system. Pure.
 * @param platform as Node names it
 * @param user the number of the user, where users have one
 */
export function socketSystemOf(platform: NodeJS.Platform, user: number | undefined): SocketSystem {
  if (platform === "win32")
    // The name is known to everybody, so anybody could take it first: both sides prove that they know the token.
    return { kind: "pipe", addressOf: (path) => `\\\\.\\pipe\\palimpsest-${nameOf(path)}` };
  const maxBytes = platform === "linux" ? LINUX_PATH_BYTES : OTHER_PATH_BYTES;
  return {
    kind: "file",
    // Not TMPDIR: it may be as long, and the other process may have another one.
    addressOf: (path) =>
      Buffer.byteLength(path) <= maxBytes ? path : `/tmp/palimpsest-${user ?? "user"}/${nameOf(path)}`,
  };
}

/** The sockets of this machine. */
export function thisSocketSystem(): SocketSystem {
  return socketSystemOf(process.platform, process.getuid?.());
}

function nameOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, NAME_CHARACTERS);
}
