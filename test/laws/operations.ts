import type { Reply, Words } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import type { Block } from "palimpsest";
import type { MessagePayload } from "palimpsest/provider-parts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

type Meanwhile = "wait" | "send" | "configure" | "replace" | "fold" | "rewind" | "record-twice";

/** What can happen to a session, in any order and number. */
export type Operation =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "show" }
  | { readonly do: "attach"; readonly text: string }
  | { readonly do: "notice" }
  /** The next request is answered; `meanwhile` arrives before the response does, and may be sent before it. */
  | {
      readonly do: "ask";
      readonly reply: Reply;
      readonly meanwhile: { readonly text: string; readonly next: Meanwhile } | undefined;
    }
  /** The next request is sent and its response never recorded. */
  | { readonly do: "lose"; readonly reply: Reply }
  /** The next request is sent, and its answer is interrupted: so much of its words has arrived by then. */
  | { readonly do: "interrupt"; readonly reply: Reply; readonly text: string; readonly report: "input" | "none" }
  /** Results for calls that the model made: for the newest ones, in some order, some of them, some twice. */
  | {
      readonly do: "answer-calls";
      readonly picks: readonly number[];
      readonly content: string | "image";
      readonly status: "ok" | "error";
    }
  | { readonly do: "import"; readonly message: MessagePayload }
  | { readonly do: "configure"; readonly change: "system" | "tools" | "model"; readonly pick: number }
  | { readonly do: "rewind"; readonly back: number }
  /** Back to where an earlier request was made. */
  | { readonly do: "rewind-to-request"; readonly back: number }
  | {
      readonly do: "replace" | "fold";
      readonly back: number;
      readonly length: number;
      readonly with: "summary" | "nothing";
    }
  /** The user comes back after a while: the prompt cache may have gone cold. */
  | { readonly do: "come-back"; readonly minutes: number; readonly text: string }
  | { readonly do: "restore" }
  | { readonly do: "reopen" };

const STORABLE = "Lorem ipsum ".repeat(20_000);
const text = fc.oneof(
  { arbitrary: fc.string({ minLength: 1, maxLength: 40 }), weight: 60 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 20 }), weight: 20 },
  { arbitrary: fc.constantFrom("", " ", "\n\t", "\ud800", "a\udc00b", "漢字かな交じり文", "🙂"), weight: 20 },
  { arbitrary: fc.constant("Lorem ".repeat(1_000)), weight: 10 },
  { arbitrary: fc.constant(STORABLE), weight: 1 },
);
/** Longer than what would stand in its place, and not long enough to be stored. */
const CLEARABLE = "Lorem ".repeat(150);
const words: fc.Arbitrary<Words> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: fc.string({ minLength: 1, maxLength: 30 }) }),
  fc.record({
    kind: fc.constant("tool-call" as const),
    name: fc.constantFrom("look", "write", "ask"),
    input: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
  }),
  fc.record({
    kind: fc.constant("tool-call" as const),
    name: fc.constantFrom("read", "read", "write"),
    input: fc.record({ path: fc.constantFrom("a", "b") }),
  }),
);
const reply: fc.Arbitrary<Reply> = fc
  .tuple(fc.boolean(), fc.array(words, { minLength: 1, maxLength: 4 }))
  .map(([thinks, said]) => ({ words: thinks ? [{ kind: "thinking", text: "Let me see." }, ...said] : said }));

const id = fc.constantFrom("a", "b", "call.with.dots", "", "ü", "x".repeat(80));
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text }),
  fc.record({
    kind: fc.constant("tool_call" as const),
    id,
    name: fc.constantFrom("look", "", "my tool!"),
    input: fc.jsonValue({ maxDepth: 1 }),
  }),
  fc.record({
    kind: fc.constant("tool_result" as const),
    callId: id,
    content: text,
    status: fc.constantFrom("ok" as const, "error" as const),
  }),
  fc.constant<Block>({ kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } }),
  fc.constant<Block>({ kind: "thinking", provider: "elsewhere", text: "hm", signature: "sig" }),
  fc.constant<Block>({ kind: "opaque", native: { provider: "elsewhere", block: { type: "odd" } } }),
);
const imported: fc.Arbitrary<MessagePayload> = fc.record(
  {
    role: fc.constantFrom("user" as const, "assistant" as const),
    blocks: fc.array(block, { maxLength: 4 }),
    origin: fc.constant("host" as const),
    responseId: fc.constantFrom("r1", "r2"),
  },
  { requiredKeys: ["role", "blocks", "origin"] },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), text }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      reply,
      meanwhile: fc.option(
        fc.record({
          text,
          next: fc.constantFrom<Meanwhile>("wait", "send", "configure", "replace", "fold", "rewind", "record-twice"),
        }),
        {
          nil: undefined,
          freq: 4,
        },
      ),
    }),
  },
  {
    // Often, so that there is something to clear in small windows too.
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("answer-calls" as const),
      picks: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
      content: fc.oneof(
        text,
        { arbitrary: fc.constant(CLEARABLE), weight: 6 },
        { arbitrary: fc.constant("image"), weight: 1 },
      ),
      status: fc.constantFrom("ok", "ok", "ok", "error"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), reply }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("interrupt" as const),
      reply,
      text,
      report: fc.constantFrom("input" as const, "none" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ do: "show" }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("attach" as const), text }) },
  { weight: 1, arbitrary: fc.constant<Operation>({ do: "notice" }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("import" as const), message: imported }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("configure" as const),
      change: fc.constantFrom("system" as const, "tools" as const, "model" as const),
      pick: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rewind" as const), back: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rewind-to-request" as const), back: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("replace" as const, "fold" as const),
      back: fc.nat(20),
      length: fc.nat(20),
      with: fc.constantFrom("summary" as const, "nothing" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("come-back" as const), minutes: fc.constantFrom(1, 6, 61, 61), text }),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ do: "restore" }) },
  { weight: 1, arbitrary: fc.constant<Operation>({ do: "reopen" }) },
);

/** Rounds of work, and the user comes back late: left to chance alone, few sessions are long enough for results to be cleared. */
const work: fc.Arbitrary<Operation[]> = fc
  .array(fc.constantFrom("a", "b", "c", "all"), { minLength: 4, maxLength: 7 })
  .map((paths) => [
    ...paths.flatMap((path): Operation[] => [
      { do: "ask", reply: { words: [{ kind: "tool-call", name: "read", input: { path } }] }, meanwhile: undefined },
      { do: "answer-calls", picks: [0], content: path === "all" ? STORABLE : CLEARABLE, status: "ok" },
    ]),
    { do: "come-back", minutes: 61, text: "Go on." },
    { do: "ask", reply: { words: [{ kind: "text", text: "Done." }] }, meanwhile: undefined },
  ]);

export const operations: fc.Arbitrary<Operation[]> = fc
  .array(fc.oneof({ weight: 40, arbitrary: operation.map((one) => [one]) }, { weight: 1, arbitrary: work }), {
    minLength: 1,
    maxLength: 16,
  })
  .map((parts) => parts.flat());
