import { portableSha256 } from "./portable-sha256.ts";

/**
 * Returns the SHA-256 of a text (as UTF-8) or of bytes, as 64 hexadecimal characters. Node's own module is used if there is one. It
 * is found without an import, so that the engine also loads in browsers and workers, and at the first digest: loading it was a
 * sixth of what importing the engine took.
 */
export function sha256(content: string | Uint8Array): string {
  const native = globalThis.process?.getBuiltinModule?.("node:crypto");
  return typeof native?.hash === "function" ? native.hash("sha256", content, "hex") : portableSha256(content);
}
