import { createAnthropic, overloaded, type Script, serve } from "@palimpsest/provider-simulator";
import { jobScript, UNKNOWN } from "./job.ts";

/** The provider, with what it has seen itself. */
export interface SimulatedModel {
  readonly url: string;
  /** Requests that break a rule of the provider. */
  readonly refused: readonly string[];
  /** The calls of which the model was told that their outcome is unknown. */
  readonly unknownCalls: ReadonlySet<string>;
  readonly requests: number;
  /** Answers nothing but "overloaded" for a while. */
  setState(state: "here" | "away"): void;
  close(): Promise<void>;
}

export interface ModelOptions {
  /** Before the first byte of an answer. @default 10 */
  readonly firstByteAfterMs?: number;
}

export async function startModel({ firstByteAfterMs = 10 }: ModelOptions = {}): Promise<SimulatedModel> {
  const unknownCalls = new Set<string>();
  const refused: string[] = [];
  let requests = 0;
  let state: "here" | "away" = "here";
  const script: Script = (ask) => {
    requests++;
    for (const { callId, text } of ask.toolResults) if (text.includes(UNKNOWN)) unknownCalls.add(callId);
    return state === "away" ? { ...jobScript(ask), fault: overloaded() } : jobScript(ask);
  };
  const server = await serve({
    faces: [createAnthropic({ script })],
    firstByteAfterMs,
    watch({ outcome }) {
      // A provider that is away on purpose refuses as well.
      if (outcome.kind === "broken" || (outcome.kind === "refused" && outcome.status !== 529))
        refused.push(outcome.message);
      // Thousands of requests are not kept.
      server.recorder.clear();
    },
  });
  return {
    url: server.url,
    refused,
    unknownCalls,
    get requests() {
      return requests;
    },
    setState(next) {
      state = next;
    },
    close: server.close,
  };
}
