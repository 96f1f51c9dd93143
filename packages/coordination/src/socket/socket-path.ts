import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { createPrivateFolder } from "palimpsest/sqlite";
import { PathError } from "palimpsest/store-parts";
import type { SocketSystem } from "./socket-system.ts";

/** Others could reach or replace the socket. Nothing was opened. */
export class UnsafeSocketError extends PathError {
  static readonly code = "unsafe-socket";
  readonly code: string = UnsafeSocketError.code;

  constructor(path: string, why: string) {
    super(path, `${path}: ${why}`);
  }
}

const MIN_TOKEN_CHARACTERS = 32;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/** Node cannot identify the user at the other end, so the folder must keep others out. @param path of the socket, or of its address */
export function assertSafePath(path: string, { kind }: SocketSystem): void {
  const folder = dirname(path);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) throw new UnsafeSocketError(path, "its folder does not exist.");
  if (!stat.isDirectory() || !isOwn(stat))
    throw new UnsafeSocketError(path, `${folder} is a link, or belongs to another user. Choose another folder.`);
  if (kind === "file" && (stat.mode & 0o077) !== 0)
    throw new UnsafeSocketError(
      path,
      `${folder} is open to others (mode ${(stat.mode & 0o777).toString(8)}). Run chmod 700 on it.`,
    );
}

/** Creates the folders of a socket and of its address, if they are missing, and looks whether they keep others out. */
export function createSafeFolders(path: string, system: SocketSystem): void {
  const places = system.kind === "file" ? [path, system.addressOf(path)] : [path];
  for (const place of places) {
    createPrivateFolder(dirname(place));
    assertSafePath(place, system);
  }
}

/** What is at the address: nothing, a socket, or a file that is not ours to remove. */
export function lookAtAddress(address: string): "absent" | "socket" | "other" {
  const stat = lstatSync(address, { throwIfNoEntry: false });
  if (stat === undefined) return "absent";
  return stat.isSocket() && isOwn(stat) ? "socket" : "other";
}

/** Only the umask reduces the mode of a new socket; nobody else can enter its folder meanwhile. */
export function closeToOthers(address: string): void {
  chmodSync(address, 0o600);
}

export function assertStrong(path: string, token: string): void {
  if (token.length < MIN_TOKEN_CHARACTERS)
    throw new UnsafeSocketError(
      path,
      `the token has ${token.length} characters; at least ${MIN_TOKEN_CHARACTERS} random ones are needed. Leave it out to have one made.`,
    );
}

/** Creates a token and leaves it beside the socket, for everyone who may enter the folder. */
export function writeToken(path: string): string {
  const token = randomBytes(32).toString("hex");
  removeToken(path);
  const file = openSync(tokenPath(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, token);
  } finally {
    closeSync(file);
  }
  return token;
}

export function readToken(path: string, { kind }: SocketSystem): string | undefined {
  let file: number;
  try {
    file = openSync(tokenPath(path), O_RDONLY | O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    const isOpen = kind === "file" && (stat.mode & 0o077) !== 0;
    if (!stat.isFile() || !isOwn(stat) || isOpen || stat.size > 1_024)
      throw new UnsafeSocketError(path, "the file with its token is open to others, or no token. Remove it.");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

export function removeToken(path: string): void {
  rmSync(tokenPath(path), { force: true });
}

function tokenPath(path: string): string {
  return `${path}.token`;
}

function isOwn({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
