import type { Subject } from "../src/overhead/subject.ts";
import { pruneMessagesPeer } from "./ai-sdk.ts";
import { clearToolUsesPeer, countTokensPeer } from "./langchain.ts";
import { tokenLimiterPeer } from "./mastra.ts";

/** Each does, on its own messages, what it does before every request. In none of them a limit is reached. */
export const peers: readonly Subject[] = [countTokensPeer, clearToolUsesPeer, pruneMessagesPeer, tokenLimiterPeer];
