// Opens sessions with a policy against the simulator, in this process.

import { answer, createAnthropic, type ManualClock, manualClock, type Script } from "@palimpsest/provider-simulator";
import { expect } from "vitest";
import { toolResult } from "../../log/messages.ts";
import { type AnthropicRequest, anthropic } from "../../providers/anthropic.ts";
import { readStream } from "../../providers/stream.ts";
import { anthropicInProcess } from "../../providers/testing/worlds.ts";
import { openSession } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import type { SessionEvent } from "../../session-event.ts";
import type { SessionOptions } from "../../state/options.ts";
import type { PolicyOption } from "../../state/policy.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import type { Store } from "../../stores/store.ts";

const MODEL = "claude-opus-5-5";
const SUMMARY =
  "Ann reported several kettles that leak. We promised replacements, and she sends the old ones back by Friday.";

export interface DeskOptions {
  readonly policy?: PolicyOption;
  /** @default answers "Done.", and a short summary */
  readonly script?: Script;
  readonly windowTokens?: number;
  readonly store?: Store;
  readonly clock?: ManualClock;
  readonly session?: Partial<SessionOptions<never, never, never>>;
}

export interface Desk {
  readonly session: Session<AnthropicRequest>;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly events: readonly SessionEvent[];
  /** The questions for summaries. */
  readonly questions: readonly string[];
  eventsOf<Kind extends SessionEvent["kind"]>(kind: Kind): readonly Extract<SessionEvent, { kind: Kind }>[];
  /** Runs a turn, and returns its last request as JSON. Tools answer with 500 words. */
  say(text: string): Promise<string>;
}

/** A session with this policy. The simulator checks every request. */
export async function openDesk({
  policy,
  script,
  windowTokens = 200_000,
  session: more,
  ...given
}: DeskOptions = {}): Promise<Desk> {
  const { clock = manualClock(0), store = memoryStore({ leaseMs: 0, clock }) } = given;
  const questions: string[] = [];
  const heard: Script = (ask) => {
    if (ask.purpose === "summary") questions.push(ask.userText);
    if (script !== undefined) return script(ask);
    return answer(ask.purpose === "summary" ? `<summary>\n${SUMMARY}\n</summary>` : "Done.");
  };
  const client = anthropicInProcess(createAnthropic({ clock, script: heard }));
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens } } });
  const events: SessionEvent[] = [];
  const session = await openSession({
    store,
    provider,
    model: MODEL,
    id: "s",
    clock,
    system: "You answer customers.",
    policy,
    settingsFrom: { environment: {} },
    onEvent: (event) => events.push(event),
    ...(more as object),
  });
  const say = async (text: string): Promise<string> => {
    await session.append(text);
    for (let round = 0; round < 20; round++) {
      const request = await session.prepare();
      const { calls } = await session.record(await readStream(provider.send(request)), request);
      if (calls.length === 0) return JSON.stringify(request.messages);
      for (const { id } of calls) await session.append(toolResult(id, `result ${id} `.repeat(500)));
    }
    return expect.unreachable("The turn does not end.");
  };
  return {
    session,
    store,
    clock,
    events,
    questions,
    eventsOf: (kind) =>
      events.filter((event): event is Extract<SessionEvent, { kind: typeof kind }> => event.kind === kind),
    say,
  };
}

/** A message of about so many tokens. */
export function words(about: string, tokens: number): string {
  return `About ${about}: ${"the kettle leaks, and nobody has answered me yet. ".repeat(Math.ceil(tokens / 11))}`;
}
