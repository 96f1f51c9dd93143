/** `@palimpsest/observe/claude-agent-sdk`: transcripts of the Claude Agent SDK in Palimpsest's stores. */
export type { TranscriptLine } from "./held-log.ts";
export { type SessionStoreOptions, sessionStore, type TranscriptStore } from "./session-store.ts";
export type { SessionKey } from "./transcript-key.ts";
