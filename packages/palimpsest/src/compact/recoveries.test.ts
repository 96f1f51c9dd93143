import { expect, test } from "vitest";
import type { Draft } from "../log/entry.ts";
import { ProviderError, type ProviderFailure } from "../providers/provider.ts";
import { resolveSettings } from "../settings/resolve.ts";
import type { Settings } from "../settings/settings.ts";
import type { CompactionOutcome } from "./outcome.ts";
import { Recoveries, type RecoveryParts } from "./recover.ts";

interface World {
  /** How many requests in a row were refused before. */
  readonly refusedBefore?: number;
  readonly settings?: Partial<Settings>;
  readonly outcome?: CompactionOutcome;
  /** How many images and documents can be left out. */
  readonly media?: number;
  readonly newestRequest?: number;
}

const AUTO_COMPACT_TOKENS = 1_000;
const IMAGE = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } } as const;
const imageAt = (entry: number) => ({
  kind: "message",
  from: entry,
  to: entry,
  role: "user",
  origin: "human",
  blocks: [IMAGE],
});
const COMPACTED = { kind: "compacted", boundary: 9 } as Extract<CompactionOutcome, { kind: "compacted" }>;

function createWorld({ refusedBefore = 0, settings = {}, outcome = COMPACTED, media = 0, newestRequest }: World = {}) {
  const log: { readonly kind: string; readonly payload: unknown }[] = [];
  const done: string[] = [];
  const state = {
    view: { changedAt: 1, items: Array.from({ length: media }, (_, index) => imageAt(index + 1)) },
    carriedState: { overflows: refusedBefore },
    ledger: { sources: {} },
    inOrder: <T>(run: () => Promise<T>) => run(),
    async append(drafts: readonly Draft[]) {
      log.push(...drafts.map(({ kind, payload }) => ({ kind, payload: JSON.parse(payload) })));
      const refusals = drafts.filter(({ kind }) => kind === "overflow").length;
      state.carriedState = { overflows: state.carriedState.overflows + refusals };
      return [];
    },
  };
  const parts = {
    state,
    settings: { current: { ...resolveSettings({}).settings, ...settings } },
    ports: { emit: () => {} },
    outlet: {
      newestRequest: () => newestRequest,
      newestBody: () => undefined,
      sizeBytes: () => 2 * media * IMAGE.source.data.length,
    },
    measures: {
      budget: () => ({ autoCompactTokens: AUTO_COMPACT_TOKENS }),
      forecast: (why: string) => ({ why }),
    },
    compactions: {
      announceFirst: async () => void done.push("announced"),
      async compact(asked: { readonly trigger: string }) {
        done.push(asked.trigger);
        return outcome;
      },
    },
  };
  const recoveries = new Recoveries(parts as unknown as RecoveryParts);
  const recover = (error: unknown) => recoveries.recover(error);
  return { recover, log, done, state };
}

const failed = (failure: ProviderFailure): ProviderError => new ProviderError("p", failure, "no");
const tooLong = (inputTokens?: number, limitTokens?: number): ProviderError =>
  failed({
    kind: "overflow",
    by: "tokens",
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(limitTokens === undefined ? {} : { limitTokens }),
  });

test.each<[string, World, ProviderError, "again" | "compacted"]>([
  ["that says nothing of its size", {}, tooLong(), "compacted"],
  ["that fits, the first time", {}, tooLong(AUTO_COMPACT_TOKENS - 1), "again"],
  ["as large as what is compacted", {}, tooLong(AUTO_COMPACT_TOKENS), "compacted"],
  ["that fits, the second time", { refusedBefore: 1 }, tooLong(999), "compacted"],
  ["that fits by its own words, the second time", { refusedBefore: 1 }, tooLong(999, 1_000), "again"],
  ["at its limit by its own words, the second time", { refusedBefore: 1 }, tooLong(999, 999), "compacted"],
  ["the sixth time", { refusedBefore: 5 }, tooLong(), "compacted"],
])("a request that was refused as too long, %s", async (_, world, error, expected) => {
  const { recover, done, log } = createWorld({ ...world, newestRequest: 4 });
  const again = { kind: "retry" };
  expect(await recover(error)).toEqual(expected === "again" ? again : { ...again, compaction: COMPACTED });
  expect(done).toEqual(expected === "again" ? [] : ["announced", "reactive"]);
  expect(log).toMatchObject([{ kind: "overflow", payload: { request: 4 } }]);
});

test("the seventh refusal in a row is the last, and nothing more is compacted", async () => {
  const { recover, done } = createWorld({ refusedBefore: 6 });
  expect(await recover(tooLong())).toEqual({ kind: "give-up", why: expect.stringContaining(" 7 requests") });
  expect(done).toEqual([]);
});

test("the same view is sent again once; a changed one once more", async () => {
  const { recover, done, state } = createWorld({ refusedBefore: 1 });
  expect(await recover(tooLong(500, 600))).toEqual({ kind: "retry" });
  expect(await recover(tooLong(500, 600))).toHaveProperty("compaction");
  state.view.changedAt = 2;
  expect(await recover(tooLong(500, 600))).toEqual({ kind: "retry" });
  expect(done).toEqual(["announced", "reactive"]);
});

test.each<[string, ProviderError, object]>([
  ["both numbers", tooLong(7, 5), { inputTokens: 7, limitTokens: 5 }],
  ["one number", tooLong(undefined, 5), { limitTokens: 5 }],
  ["none of bytes", failed({ kind: "overflow", by: "bytes", inputTokens: 7, limitTokens: 5 }), {}],
])("what is learned of a refusal: %s", async (_, error, payload) => {
  const { recover, log } = createWorld();
  await recover(error);
  expect(log.map((draft) => draft.payload)).toEqual([payload]);
});

test("with compaction off, nothing is compacted, and the user is told by which setting", async () => {
  const { recover, done, log } = createWorld({ settings: { compaction: "off" } });
  expect(await recover(tooLong(5))).toEqual({ kind: "give-up", why: expect.stringContaining("`compaction` is off") });
  expect([done, log]).toEqual([[], []]);
});

test.each<[string, CompactionOutcome, string]>([
  ["was aborted", { kind: "aborted" }, "aborted"],
  ["failed", { kind: "failed", failure: "api-error", why: "no answer" }, "no answer"],
])("a compaction that %s ends the recovery, and says why", async (_, outcome, why) => {
  const { recover } = createWorld({ outcome });
  expect(await recover(tooLong())).toEqual({ kind: "give-up", why: expect.stringContaining(why) });
});

test("too many bytes leave media out first, and too many tokens do not", async () => {
  const byBytes = failed({ kind: "overflow", by: "bytes" });
  expect(await createWorld({ media: 3 }).recover(byBytes)).toEqual({ kind: "retry", mediaLeftOut: 3 });
  expect(await createWorld().recover(byBytes)).toHaveProperty("compaction");
  expect(await createWorld({ media: 3 }).recover(tooLong())).toHaveProperty("compaction");
});

test("what is no refusal is given up, and nothing is learned of it", async () => {
  const { recover, log, done } = createWorld({ media: 3 });
  for (const error of [failed({ kind: "overloaded" }), new Error("a bug"), "text", undefined]) {
    expect(await recover(error)).toMatchObject({ kind: "give-up" });
  }
  expect([log, done]).toEqual([[], []]);
});
