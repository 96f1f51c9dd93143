// Reads the tools, messages and settings of an agent's call.

import { getCurrentSystemPrompt, getCurrentTools, type TranscriptContext } from "@earendil-works/pi-ai";
import type { SyncMessage } from "palimpsest";
import { type FrameworkCall, toConfiguration } from "palimpsest/adapter-parts";
import { toSyncMessages } from "../provider/read-messages.ts";
import type { PiOptions, PiTool } from "../provider/wire.ts";
import type { LiveCall } from "./sessions.ts";

/** Returns the current tools of a transcript. Its system messages can add and remove tools. */
export function readTools({ messages }: TranscriptContext): readonly PiTool[] {
  return getCurrentTools(messages);
}

/** Converts a transcript to a list that a session can adopt. The list begins with the current system prompt. */
export function readTranscript({ messages }: TranscriptContext): readonly SyncMessage[] {
  const system = getCurrentSystemPrompt(messages);
  return [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...toSyncMessages(messages)];
}

/** Reads the configuration of a session from a call. */
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

/** The options that change the prompt or the answer. Other options (keys, callbacks, connection limits) are sent but never logged. */
const LOGGED = [
  "reasoning",
  "temperature",
  "toolChoice",
  "thinkingBudgets",
  "samplingParams",
  "cacheRetention",
] as const;
