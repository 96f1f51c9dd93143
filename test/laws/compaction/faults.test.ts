import { cutStream, overloaded, resetConnection, serverError, stallStream } from "@palimpsest/provider-simulator";
import { memoryStore, type Store, WindowFullError } from "palimpsest";
import type { Entry } from "palimpsest/store-parts";
import { describe, expect, test } from "vitest";
import { converse } from "./conversation.ts";
import { SUMMARIZERS, type Summarizer } from "./summarizers.ts";
import { PROFILES, type Profile } from "./worlds.ts";

/** `before`: nothing was written. `after`: all was, and nobody was told. */
type Fault = "before" | "after";

class StoreBroken extends Error {}

/** A store of which one append fails, counted from when it is armed. */
function faultyStore() {
  const inner = memoryStore({ leaseMs: 0 });
  let armed: { fault: Fault; appends: number } | undefined;
  const store: Store = {
    ...inner,
    async openWriter(session, options) {
      const opened = await inner.openWriter(session, options);
      if (opened.kind === "busy") return opened;
      const { writer } = opened;
      const append = async (entries: readonly Entry[]) => {
        const fails = armed !== undefined && armed.appends-- === 0 ? armed.fault : undefined;
        if (fails === "before") throw new StoreBroken("nothing was written");
        const result = await writer.append(entries);
        if (fails === "after") throw new StoreBroken("it was written, and the disk says no");
        return result;
      };
      return { kind: "opened", writer: { ...writer, append } };
    },
  };
  return {
    store,
    arm: (fault: Fault, appends: number) => {
      armed = { fault, appends };
    },
    /** Whether the fault has happened. */
    disarm: () => {
      const happened = armed !== undefined && armed.appends < 0;
      armed = undefined;
      return happened;
    },
  };
}

type Trigger = "by hand" | "when it is due" | "after a refusal";

/** A session that a compaction of that kind can be made of, and how. */
async function ready(
  profile: Profile,
  trigger: Trigger,
  summarizer: Summarizer,
  store: Store = memoryStore({ leaseMs: 0 }),
) {
  const conversation = await converse({ profile, summarizer, store, windowTokens: 16_000 });
  await conversation.turn("the task", 0.1);
  await conversation.turn("more", 0.1);
  await conversation.turn("much", 0.2);
  if (trigger === "when it is due") await conversation.session.append("due ".repeat(9_000));
  const tooLong = new Error("prompt is too long: 99999 tokens > 16000 maximum");
  const compact = async (): Promise<unknown> => {
    conversation.world.reply = undefined;
    if (trigger === "by hand") return conversation.session.compact();
    return trigger === "after a refusal" ? conversation.session.recover(tooLong) : conversation.session.prepare();
  };
  return { conversation, compact };
}

async function boundariesIn(store: Store): Promise<number> {
  const reader = (await store.openReader("s"))!;
  return (await reader.read(1, Number.MAX_SAFE_INTEGER)).filter(({ kind }) => kind === "boundary").length;
}

const TRIGGERS: readonly Trigger[] = ["by hand", "when it is due", "after a refusal"];
const WAYS = ["good", "say an error", "cut stream"];

/** What a store does is the same for all of them: in the gate, two will do. */
const SOME: readonly Profile[] = ["Anthropic, thinking bound", "llama.cpp"];

describe.each(process.env["PALIMPSEST_SLOW"] === undefined ? SOME : PROFILES)("%s", (profile) => {
  test.each(TRIGGERS)(
    "a store that fails at any append of a compaction %s leaves the old view or the new one",
    async (trigger) => {
      let faults = 0;
      for (const way of WAYS) {
        for (const fault of ["before", "after"] as const) {
          for (let appends = 0; ; appends++) {
            const { store, arm, disarm } = faultyStore();
            const { conversation, compact } = await ready(profile, trigger, SUMMARIZERS[way]!, store);
            arm(fault, appends);
            const failed = await compact().then(
              () => false,
              (error: unknown) => {
                // Where the fault was survived and the compaction was not, there is no room for a request as yet.
                if (!(error instanceof StoreBroken || WindowFullError.isInstance(error))) throw error;
                return true;
              },
            );
            if (!disarm()) {
              expect(failed).toBe(false);
              break;
            }
            faults++;
            const boundaries = await boundariesIn(store);
            expect(boundaries).toBeLessThanOrEqual(1);
            // It goes on by itself, as one that is opened anew would.
            await conversation.session.append("«on» Go on.");
            const live = await conversation.next();
            for (const words of ["«the task»", "«on»"]) expect(live.split(words)).toHaveLength(2);
            conversation.session = await conversation.reopen();
            expect(await conversation.next()).toBe(live);
            await conversation.turn("and on");
          }
        }
      }
      expect(faults).toBeGreaterThan(8);
    },
  );

  test("a provider that fails at any of the calls, in any way, does not keep it from being compacted", async () => {
    const faults = [
      overloaded(),
      serverError(),
      resetConnection(),
      cutStream(2),
      cutStream(4, "reset"),
      stallStream(1, 1e9),
    ];
    for (const fault of faults) {
      for (let failing = 0; failing < 4; failing++) {
        const summarizer: Summarizer = (ask, call) => {
          const { reply } = SUMMARIZERS["good"]!(ask, call);
          return { reply: call <= failing ? { ...reply, fault } : reply };
        };
        const { conversation, compact } = await ready(profile, "by hand", summarizer);
        expect(await compact()).toMatchObject({ kind: "compacted" });
        await conversation.turn("and on");
      }
    }
  });
});
