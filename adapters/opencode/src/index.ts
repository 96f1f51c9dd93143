/** `@palimpsest/opencode`: Palimpsest for opencode, which calls every function of this module as a plugin. There is one. */
export type { OpencodeClient, OpencodeHooks, OpencodeInput, OpencodeTool } from "./opencode-plugin.ts";
export { palimpsest } from "./plugin.ts";
export type { OpencodeMessage } from "./wire.ts";
