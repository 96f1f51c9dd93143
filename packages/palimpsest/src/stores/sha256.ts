import { hash } from "node:crypto";
import type { Digest } from "../log/entry.ts";

/** SHA-256 as 64 hexadecimal characters. */
export const sha256: Digest = (text) => hash("sha256", text, "hex");
