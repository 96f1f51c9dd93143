import { getCurrentSystemPrompt, getCurrentTools, type TranscriptContext } from "@earendil-works/pi-ai";
import type { SyncMessage } from "palimpsest";
import { type FrameworkCall, toConfiguration } from "palimpsest/adapter-parts";
import { toSyncMessages } from "../provider/read-messages.ts";
import type { PiOptions, PiTool } from "../provider/wire.ts";
import type { LiveCall } from "./sessions.ts";

/** Options that change what is asked. The others are keys, callbacks and limits of the connection: sent, never logged. */
const LOGGED = [
  "reasoning",
  "temperature",
  "toolChoice",
  "thinkingBudgets",
  "samplingParams",
  "cacheRetention",
] as const;

/** The tools that a transcript declares now. Its messages of the system may add and remove some on the way. */
export function readTools({ messages }: TranscriptContext): readonly PiTool[] {
  return getCurrentTools(messages);
}

/** A transcript as a list that a session can adopt: what the system has said, as it stands now, leads it. */
export function readTranscript({ messages }: TranscriptContext): readonly SyncMessage[] {
  const system = getCurrentSystemPrompt(messages);
  return [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...toSyncMessages(messages)];
}

/** What a call sets beside its messages. */
export function readConfiguration(
  tools: readonly PiTool[],
  options: PiOptions,
): FrameworkCall<LiveCall>["configuration"] {
  const settings = Object.fromEntries(
    LOGGED.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  return toConfiguration(
    tools,
    ({ name, description, parameters }) => ({ name, description, schema: parameters }),
    settings,
  );
}
