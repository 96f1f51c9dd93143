import type { Digest } from "../log/entry.ts";
import { portableSha256 } from "./portable-sha256.ts";

/** Node's own module if there is one, found without an import, so that the engine also loads in browsers and workers. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto");

/** Returns the SHA-256 of a text (as UTF-8) or of bytes, as 64 hexadecimal characters. */
export const sha256: Digest & ((content: string | Uint8Array) => string) =
  typeof native?.hash === "function"
    ? (content: string | Uint8Array) => native.hash("sha256", content, "hex")
    : portableSha256;
