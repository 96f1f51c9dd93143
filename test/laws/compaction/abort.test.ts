import { type IdleClock, overloaded, stallStream } from "@palimpsest/provider-simulator";
import type { SessionEvent, Surroundings } from "palimpsest";
import { createHooks } from "palimpsest/hooks";
import { describe, expect, test } from "vitest";
import { type ConversationOptions, converse } from "./conversation.ts";
import { SUMMARIZERS, type Summarizer } from "./summarizers.ts";
import { PROFILES } from "./worlds.ts";

/** Real time, on which whatever hangs hangs for ever. */
const HANGING: IdleClock = {
  now: Date.now,
  wait: (_, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())),
};

type Begun = () => void;

const hang = (begun: Begun) => (): Promise<never> => {
  begun();
  return new Promise(() => {});
};
const hanging =
  (from: number, begun: Begun): Summarizer =>
  (ask, call) => {
    const { reply } = SUMMARIZERS["say an error"]!(ask, call);
    if (call < from) return { reply };
    begun();
    return { reply: { ...reply, fault: stallStream(1, 1e9) } };
  };
const overloadedAlways =
  (begun: Begun): Summarizer =>
  (ask, call) => {
    begun();
    return { reply: { ...SUMMARIZERS["good"]!(ask, call).reply, fault: overloaded() } };
  };

const host = (surroundings: Surroundings): Partial<ConversationOptions> => ({ options: { surroundings } });
/** By name of the phase, what makes a compaction hang in it, and tells that it does. */
const PHASES: Readonly<Record<string, (begun: Begun) => Partial<ConversationOptions>>> = {
  "a hook": (begun) => ({ options: { hooks: createHooks([{ event: "PreCompact", run: hang(begun) }]) } }),
  "the todos of the host": (begun) => host({ todos: hang(begun) }),
  "the first call": (begun) => ({ summarizer: hanging(0, begun) }),
  "the second call": (begun) => ({ summarizer: hanging(1, begun) }),
  "the wait before another try": (begun) => ({ summarizer: overloadedAlways(begun) }),
  "the skills of the host": (begun) => host({ skills: hang(begun) }),
  "the plan of the host": (begun) => host({ plan: hang(begun) }),
};

/** Its value, if it comes within a hundred steps of 10 ms: while a busy machine stands still, no step is made. */
async function withinASecond<Value>(coming: Promise<Value>): Promise<Value | "too late"> {
  for (let step = 0; step < 100; step += 1) {
    const pause = new Promise<"too late">((resolve) => setTimeout(resolve, 10, "too late"));
    const come = await Promise.race([coming, pause]);
    if (come !== "too late") return come;
  }
  return "too late";
}

describe.each(PROFILES)("%s", (profile) => {
  test.each(Object.keys(PHASES))(
    "an abort in %s returns within a second and leaves the session as it was",
    async (phase) => {
      const events: SessionEvent[] = [];
      const hangs = Promise.withResolvers<void>();
      const { options, ...rest } = PHASES[phase]!(hangs.resolve);
      const conversation = await converse({
        profile,
        clock: HANGING,
        ...rest,
        options: { ...options, onEvent: (event) => events.push(event) },
      });
      await conversation.turn("the task, in src/load.ts", 0.1);
      await conversation.turn("more", 0.1);
      const { entry, request } = await conversation.turn("much", 0.1);
      const ends = new AbortController();
      const compacting = conversation.session.compact({ signal: ends.signal });
      const waiting = conversation.session.compact({ signal: ends.signal });
      await hangs.promise;
      // A call that was asked for goes on until its answer stalls.
      await new Promise((resolve) => setTimeout(resolve, 30));
      ends.abort();
      expect(await withinASecond(Promise.all([waiting, compacting]))).toEqual([
        { kind: "aborted" },
        { kind: "aborted" },
      ]);
      const emitted = events.filter(({ kind }) => kind === "compaction-started" || kind === "compaction-ended");
      expect(emitted.map(({ kind }) => kind)).toEqual(["compaction-started", "compaction-ended"]);
      expect(await conversation.session.history.explain()).toEqual([]);
      const next = await conversation.turn("afterwards");
      // What was sent before stands there as it did.
      expect(next.request).toContain("«much»");
      await conversation.session.history.rewind(entry);
      expect(await conversation.next()).toBe(request);
    },
  );
});
