import type { SessionEvent } from "palimpsest";
import {
  byKind,
  type FieldsOf,
  type KindsOf,
  list,
  number,
  object,
  optional,
  text,
  word,
} from "../../commands/stream/typed-schema.ts";
import { usedTokens } from "./used-tokens-schema.ts";

type Of<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { kind: Kind }>;
type CompactionEvent = Of<
  | "compaction-due"
  | "compaction-announced"
  | "compaction-started"
  | "compaction-progressed"
  | "compaction-ended"
  | "notes-updated"
  | "notes-compaction-declined"
  | "breaker-tripped"
  | "files-restored"
>;
type Shared = Pick<SessionEvent, "session" | "atMs">;
type Ended = Of<"compaction-ended">["outcome"];

const reason = word(
  ["window", "economic", "asked"],
  "window: the context window is nearly full. economic: it saves money. asked: the user or the host asked for it.",
);
const failure = word(["no_summary", "api_error", "prompt_too_long", "aborted"]);
const overrides = word(["restore"], "The user had undone an earlier compaction of the same items.");
const retryAtMs = number("When it is tried again, at the earliest.");

const FORECAST: FieldsOf<Omit<Of<"compaction-due">, "kind" | keyof Shared>> = {
  reason: word(["window", "economic"]),
  why: text("In words and figures."),
  tokens: number("The size of the conversation now."),
  expectedTokens: number("The size after the compaction."),
  savesTokensPerRequest: number(),
  savesUsdPerRequest: optional(number()),
  overrides: optional(overrides),
};

const outcome = byKind<Ended>(
  {
    compacted: {
      about: "The conversation was compacted.",
      fields: {
        rung: text("Where the summary is from."),
        tokensBefore: number(),
        tokensAfter: number(),
        used: optional(usedTokens),
        withoutSummary: optional(failure),
        summary: text("What the model sees in place of the compacted messages."),
      },
    },
    declined: {
      about: "A hook blocked the compaction, or it would not have saved anything.",
      fields: { reason: text(), why: text(), retryAtMs: optional(retryAtMs) },
    },
    failed: {
      about: "The compaction failed.",
      fields: { failure, why: text(), retryAtMs: optional(retryAtMs), used: optional(usedTokens) },
    },
  },
  {},
);

const part = object<Of<"files-restored">["parts"][number]>({
  type: text("The type of attachment."),
  name: optional(text("The path of a file, the name of a skill.")),
  shown: word(["whole", "cut", "left-out"]),
  tokens: number("In view."),
  ofTokens: number(),
  why: optional(text("Why the whole text is not in view.")),
});

/** Events of compactions, notes and what follows a compaction. */
export const COMPACTION_EVENTS: KindsOf<CompactionEvent, Shared> = {
  "compaction-due": { about: "A compaction is needed, and the settings leave it to the user.", fields: FORECAST },
  "compaction-announced": {
    about: "The user is told of a compaction before it is made.",
    fields: { ...FORECAST, when: word(["now", "after-next-message", "when-full"]) },
  },
  "compaction-started": {
    about: "A compaction has started.",
    fields: {
      compaction: text("An id of this compaction."),
      trigger: word(["auto", "manual", "reactive"], "reactive: the provider refused a request as too long."),
      reason,
      overrides: optional(overrides),
      tokensBefore: number(),
      earlierCompactions: number(),
      turnsSincePrevious: optional(number()),
    },
  },
  "compaction-progressed": {
    about: "A compaction makes progress.",
    fields: { compaction: text(), phase: text(), receivedCharacters: optional(number("Of the summary.")) },
  },
  "compaction-ended": {
    about: "A compaction has ended.",
    fields: { compaction: text(), reason, outcome },
  },
  "notes-updated": {
    about: "The session's notes were updated.",
    fields: { outcome: word(["updated", "unchanged", "failed"]), tokens: number(), used: optional(usedTokens) },
  },
  "notes-compaction-declined": {
    about: "The session's notes could not be used as the summary.",
    fields: { reason: text() },
  },
  "breaker-tripped": {
    about: "A step failed so often in a row that it is not tried for now.",
    fields: {
      of: text("compaction, or economic-compaction for those that only save money."),
      failures: number(),
      retryAtMs: optional(number("When it is tried again, at the latest.")),
    },
  },
  "files-restored": {
    about: "After a compaction, files, skills and the plan were shown to the model again.",
    fields: {
      putBack: number("Files."),
      skipped: number(),
      failed: number(),
      parts: list(part, "Files, skills, the plan and other texts."),
    },
  },
};
