/** `@palimpsest/opencode`: Palimpsest for opencode, which calls every exported function as a plugin. Export only one. */
export type { OpencodeClient, OpencodeHooks, OpencodeInput, OpencodeTool } from "./opencode-plugin.ts";
export { palimpsest } from "./plugin.ts";
export type { OpencodeMessage } from "./wire.ts";
