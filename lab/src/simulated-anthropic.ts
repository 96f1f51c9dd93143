import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, fetchInProcess, idleClock, type Script } from "@palimpsest/provider-simulator";
import { anthropic } from "palimpsest/anthropic";

/** The real client against a simulated provider in this process, where nobody waits for a clock. */
export function simulatedAnthropic(script: Script): ReturnType<typeof anthropic> {
  const fetch = fetchInProcess({ face: createAnthropic({ script }), clock: idleClock() });
  return anthropic(new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", maxRetries: 0, fetch }));
}
