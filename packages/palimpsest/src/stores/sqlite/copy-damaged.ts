import { spawnSync } from "node:child_process";
import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { messageOf } from "./errors.ts";

/**
 * Copies what can be read of a file, with zeros where the disk gives nothing back. Closing a file drops all locks that this
 * process has on it (https://sqlite.org/howtocorrupt.html, 2.2), so a file that this process may have open is copied by
 * another one. Returns what went wrong, if anything did.
 */
export function copyDamaged(from: string, to: string): string | undefined {
  try {
    if (statSync(from, { throwIfNoEntry: false }) === undefined) return `${from} does not exist`;
    if (isOpenHere(from) === "no") return copyReadable(from, to);
    const script = `process.stdout.write((${copyReadable.toString()})(${JSON.stringify(from)}, ${JSON.stringify(to)}) ?? "")`;
    const { stdout, stderr, status, error } = spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" });
    return status === 0 ? stdout || undefined : `${from} could not be copied: ${error?.message ?? stderr}`;
  } catch (error) {
    return `${from} could not be copied: ${messageOf(error)}`;
  }
}

/** Only Linux tells. */
function isOpenHere(path: string): "no" | "perhaps" {
  try {
    const real = realpathSync(path);
    return readdirSync("/proc/self/fd").some((name) => linkOf(`/proc/self/fd/${name}`) === real) ? "perhaps" : "no";
  } catch {
    return "perhaps";
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Also runs alone, as text, in another process: it uses nothing that is not in it. */
function copyReadable(from: string, to: string): string | undefined {
  const files = process.getBuiltinModule("node:fs");
  const source = files.openSync(from, "r");
  const target = files.openSync(to, "wx", 0o600);
  let unreadableBytes = 0;
  const sizeBytes = files.fstatSync(source).size;
  for (let at = 0; at < sizeBytes; ) {
    // In large pieces, and in pages where a piece cannot be read.
    for (const pieceBytes of [1_048_576, 4096]) {
      const piece = new Uint8Array(Math.min(pieceBytes, sizeBytes - at));
      let readBytes = piece.length;
      try {
        readBytes = files.readSync(source, piece, 0, piece.length, at);
      } catch {
        if (pieceBytes > 4096) continue;
        unreadableBytes += piece.length;
      }
      for (let written = 0; written < readBytes; )
        written += files.writeSync(target, piece, written, readBytes - written, at + written);
      at += readBytes === 0 ? piece.length : readBytes;
      break;
    }
  }
  files.closeSync(source);
  files.closeSync(target);
  return unreadableBytes === 0 ? undefined : `${from}: ${unreadableBytes} of ${sizeBytes} bytes cannot be read`;
}
