import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EMPTY_LOG,
  type Entry,
  namedKind,
  readDraft,
  readPayload,
  sealEntries,
  toDraft,
  toNamedDraft,
} from "./entry.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";
import type { CompactionRecord } from "./payload-compaction.ts";

test("makes a draft with the version of its kind, its payload as JSON, and a parent only if the caller passes one", () => {
  const draft = toDraft("pin", { text: "Never push." });
  expect(draft).toStrictEqual({ kind: "pin", version: 1, payload: '{"text":"Never push."}' });
  expect(toDraft("pin", { text: "Never push." }, 0)).toStrictEqual({ ...draft, parent: 0 });
});

test("adds the name to the kind of a named draft, and reads the entry as its kind", () => {
  const draft = toNamedDraft("key", "5d41", { key: "a", entries: 2 });
  expect(draft.kind).toBe(namedKind("key", "5d41"));
  expect(readDraft(draft)).toEqual({ kind: "key", sequence: 0, payload: { key: "a", entries: 2 } });
});

const STANDING = {
  pins: [],
  said: [],
  agents: [],
  takenBack: [],
  breaker: { kind: "closed", failures: 0 },
  economicBreaker: { kind: "closed", failures: 0 },
  readers: {},
  marks: {},
  collected: {},
  turn: { phase: "idle", cuts: 0, stopBlocks: 0, calls: [] },
  chain: { boundary: 0, boundaries: 0, turns: 0 },
  userMessages: 0,
  spokenAt: 0,
  calls: 0,
  overflows: 0,
  automatic: "on",
};
const COMPACTION: CompactionRecord = {
  trigger: "auto",
  reason: "window",
  variant: "full",
  summary: { way: "none", form: "coding", met: false },
  attempts: [],
  messages: 1,
  tokensBefore: 9,
  tokensAfter: 1,
  parts: [],
  modelCalls: 0,
  decided: {
    ...{ rule: "economic", level: "if-it-pays", because: "economic pays" },
    figures: { unit: "usd", costNow: 0.1, costLater: 0, savesNow: 0.2, savesLater: 0.3, net: 0.4 },
    considered: [],
    before: { atMs: 1, tokens: 8, compactsAtTokens: 9, because: "no rule makes a proposal" },
  },
};
const ERASED: Payloads["attachment"] = {
  type: "note",
  blocks: [{ kind: "text", text: "[Erased.]" }],
  provenance: { kind: "host" },
};
const EXAMPLES: Payloads = {
  message: {
    role: "user",
    origin: "tool",
    blocks: [
      { kind: "text", text: "a" },
      { kind: "thinking", provider: "p", text: "", signature: "s" },
      { kind: "tool_call", id: "1", name: "look", input: { at: 1 } },
      { kind: "tool_result", callId: "1", content: [{ kind: "text", text: "b" }], status: "ok" },
      { kind: "image", source: { kind: "url", url: "https://example.org/a.png" } },
      { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: "AAAA" } },
      { kind: "opaque", native: { provider: "p", block: { type: "odd" } } },
    ],
    stored: { file: "ab12.txt", bytes: 3, lines: 1, digest: "ab12" },
    provenance: { kind: "tool", name: "look" },
  },
  attachment: { type: "reminder", blocks: [{ kind: "text", text: "a" }], provenance: { kind: "host" } },
  configuration: {
    provider: "p",
    model: "m",
    system: { value: "Be brief." },
    tools: { heldBy: 3 },
    parameters: {},
    cause: "opened",
  },
  request: { maxTokens: 10, estimatedTokens: 20 },
  usage: {
    responseId: "r",
    model: "m",
    freshTokens: 1,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    outputTokens: 4,
  },
  replace: { from: 1, to: 2, with: [{ role: "user", blocks: [], origin: "summary" }], reason: "test" },
  restore: { of: 3, from: 1, to: 2, reason: "test", was: "replace" },
  boundary: {
    from: 1,
    to: 2,
    with: [],
    reason: "test",
    outline: [{ from: 3, to: 4 }],
    state: { configuration: 1, calibration: {}, ledger: {}, standing: STANDING },
    compaction: COMPACTION,
  },
  rewind: { reason: "test", ledger: {}, sharedTo: 2 },
  fork: { session: "s", sequence: 3, hash: "h", source: "test" },
  pin: { text: "Never push to main." },
  unpin: { of: 3 },
  notes: { markdown: "# Title", coveredTo: 4 },
  prepared: {
    ...{ step: "written", from: 3, to: 9, viewChangedAt: 1, formKey: "sections null", tokens: 5, installs: "at-once" },
    ...{ calls: 1, text: "Summary:\na", form: "sections", met: true, because: "a compaction is near", attempts: [] },
  },
  attempt: { trigger: "auto", reason: "window", failure: "too-large", why: "test" },
  overflow: { request: 3, inputTokens: 210_000, limitTokens: 200_000 },
  agent: { id: "a1", step: "started", way: "background", goal: "Look around.", session: "s-a1" },
  reader: { name: "extract_memories", coveredTo: 12 },
  mark: { name: "ticket", value: { state: "closed" } },
  decision: {
    ...{ rule: "when-cold", level: "if-it-pays", because: "the prompt cache expired", action: "ask-provider" },
    figures: { unit: "usd", costNow: 0.1, costLater: 0, savesNow: 0.2, savesLater: 0.3, net: 0.4 },
    considered: [
      { rule: "to-fit", level: "when-full", net: 0.1, tokensAfter: 5, barred: "only if the window is full" },
    ],
    ...{ tokensBefore: 10, tokensAfter: 4, returningTokens: 3 },
    edits: {
      results: { aboveTokens: 1, minimumTokens: 1, keepNewest: 1, keptTools: ["a"], inputsOf: [] },
      thinking: { from: 3, turns: 1 },
    },
    deleted: [{ entry: 2, callId: "1" }],
  },
  policy: { name: "coding", rules: [{ slot: "clear", name: "when-cold", params: { keepNewest: 4 } }] },
  turn: { step: "answered", stop: "length", phase: "cut", cuts: 1 },
  call: { step: "waiting", call: "1", reason: "It writes outside of the project." },
  taken: { queue: "mail", number: 3, entries: 1 },
  key: { key: "a", entries: 2 },
  erased: { was: "attachment", entry: 2, stub: ERASED },
};
/** What readers of a payload use without a second look: paths into the examples. */
const RELIED_ON: Readonly<Record<PayloadKind, readonly string[]>> = {
  message: [
    ...["role", "blocks", "blocks.0", "blocks.0.kind", "blocks.0.text", "blocks.1.provider", "blocks.1.text"],
    ...["blocks.2.id", "blocks.2.name", "blocks.3.callId", "blocks.3.content", "blocks.3.content.0.text"],
    ...["blocks.4.source", "blocks.4.source.url", "blocks.5.source.mediaType", "blocks.5.source.data"],
    ...["blocks.6.native", "blocks.6.native.provider", "blocks.6.native.block"],
    ...["stored", "stored.file", "stored.digest", "stored.bytes", "stored.lines", "provenance", "provenance.kind"],
  ],
  attachment: ["type", "blocks", "blocks.0.text", "provenance", "provenance.kind"],
  configuration: ["provider", "model", "system", "system.value", "tools", "tools.heldBy", "parameters"],
  request: ["maxTokens"],
  usage: ["responseId", "freshTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"],
  replace: ["from", "to", "with", "with.0", "with.0.role", "with.0.blocks", "with.0.attachment"],
  restore: ["from", "to", "of", "was"],
  boundary: [
    ...["from", "to", "with", "outline", "outline.0", "outline.0.from", "outline.0.to"],
    ...["state", "state.configuration", "state.ledger", "state.standing"],
    ...Object.keys(STANDING).flatMap((name) => (name === "automatic" ? [] : [`state.standing.${name}`])),
    ...["state.standing.turn.phase", "state.standing.turn.cuts", "state.standing.turn.calls"],
    ...["compaction", "compaction.trigger", "compaction.reason", "compaction.summary", "compaction.summary.way"],
    ...["compaction.decided", "compaction.decided.rule", "compaction.decided.figures", "compaction.decided.before"],
    ...["compaction.decided.before.tokens", "compaction.decided.before.because"],
  ],
  rewind: ["ledger", "sharedTo"],
  fork: ["session", "sequence", "hash", "source"],
  pin: ["text"],
  unpin: ["of"],
  notes: ["markdown", "coveredTo"],
  prepared: ["from", "to", "viewChangedAt", "formKey", "tokens", "installs", "calls", "text"],
  attempt: ["trigger", "reason", "failure", "why"],
  overflow: ["inputTokens", "limitTokens"],
  agent: ["id", "step", "goal", "session"],
  reader: ["name", "coveredTo"],
  mark: ["name"],
  decision: [
    ...["rule", "level", "because", "action", "figures", "figures.unit", "figures.net", "considered", "tokensBefore"],
    ...["tokensAfter", "edits.results", "edits.results.aboveTokens", "edits.thinking", "deleted.0", "deleted.0.entry"],
  ],
  policy: ["name", "rules", "rules.0", "rules.0.slot", "rules.0.name"],
  turn: ["step"],
  call: ["step", "call", "calls"],
  taken: ["queue", "number", "entries", "traceparent"],
  key: ["key", "entries"],
  erased: ["was", "entry", "stub", "stub.type", "stub.blocks", "stub.provenance"],
};
const KINDS = Object.keys(PAYLOAD_VERSIONS) as PayloadKind[];
const digest = (text: string): string => `${text.length}`;
const entryOf = (kind: string, payload: string, version = 1): Entry =>
  sealEntries([{ kind, version, payload }], { head: EMPTY_LOG, atMs: 0, digest })[0]!;

/** The same payload as JSON, with nothing at one place of it. */
function damaged(payload: object, path: string): string {
  const copy = structuredClone(payload) as Record<string, unknown>;
  const names = path.split(".");
  const holder = names.slice(0, -1).reduce((value, name) => value[name] as typeof copy, copy);
  holder[names.at(-1)!] = null;
  return JSON.stringify(copy);
}

describe("reading a payload", () => {
  test.each(KINDS)("reads the payload that was written: %s", (kind) => {
    const draft = toDraft(kind, EXAMPLES[kind]);
    expect(readPayload(entryOf(draft.kind, draft.payload))).toEqual({ kind, sequence: 1, payload: EXAMPLES[kind] });
  });

  test("skips kinds and versions of a later release", () => {
    expect(readPayload(entryOf("prophecy", "{}"))).toEqual({ kind: "passed-over", sequence: 1, why: "later" });
    for (const kind of KINDS) expect(readPayload(entryOf(kind, "{}", 2)), kind).toMatchObject({ why: "later" });
    expect(readPayload(entryOf("constructor", "{}"))).toMatchObject({ why: "later" });
  });

  test("skips an erased payload", () => {
    expect(readPayload({ ...entryOf("message", "{}"), payload: undefined })).toMatchObject({ why: "erased" });
  });

  test("reads an entry with a named kind as an entry of its kind", () => {
    const { kind, payload } = toNamedDraft("key", "5d41", EXAMPLES.key);
    expect(readPayload(entryOf(kind, payload))).toEqual({ kind: "key", sequence: 1, payload: EXAMPLES.key });
    expect(readDraft({ kind, version: 1, payload }, 7)).toMatchObject({ kind: "key", sequence: 7 });
    expect(readPayload(entryOf("key5d41", payload))).toMatchObject({ why: "later" });
  });

  test.each(KINDS)("skips a payload if a field that readers use is damaged: %s", (kind) => {
    for (const path of RELIED_ON[kind]) {
      expect(readPayload(entryOf(kind, damaged(EXAMPLES[kind], path))), path).toMatchObject({ why: "malformed" });
    }
  });

  test("reads payloads without their optional fields", () => {
    const [started, waiting] = [EXAMPLES.agent, EXAMPLES.call];
    const { state, ...decision } = EXAMPLES.boundary;
    const standing = { ...STANDING, calls: Number.MAX_SAFE_INTEGER + 1 };
    const whole: [PayloadKind, object][] = [
      ["boundary", { ...decision, state: { ...state, standing } }],
      ["overflow", {}],
      ["prepared", { step: "dropped", of: 3, reason: "undone", because: "a compaction was undone" }],
      ["agent", { id: started.id, step: "ended", outcome: "done", told: "by-call" }],
      ["call", { step: waiting.step, calls: ["1", "2"], why: "cut" }],
      ["erased", { was: "message", entry: 2, stub: { role: "user", blocks: [] } }],
      ["configuration", { ...EXAMPLES.configuration, tools: { value: [{ name: "look", inputSchema: {} }] } }],
    ];
    for (const [kind, payload] of whole) {
      expect(readPayload(entryOf(kind, JSON.stringify(payload))), kind).toEqual({ kind, sequence: 1, payload });
    }
  });

  test.each<[string, string]>([
    ["message", "no json"],
    ["message", "null"],
    ["message", '{"role":"system","blocks":[]}'],
    ["message", '{"role":"user","blocks":[{"kind":"__proto__"}]}'],
    ["message", '{"role":"user","blocks":[{"kind":"text"}]}'],
    [
      "message",
      '{"role":"user","blocks":[{"kind":"tool_result","callId":"1","content":[{"kind":"tool_call","id":"1","name":"a"}]}]}',
    ],
    [
      "message",
      '{"role":"user","blocks":[{"kind":"tool_result","callId":"1","content":[{"kind":"thinking","provider":"p","text":"hm"}]}]}',
    ],
    ["message", '{"role":"user","blocks":[],"stored":{"file":"ab12.txt","digest":"ab12","bytes":-1,"lines":1}}'],
    ["attachment", '{"blocks":[]}'],
    ["attachment", '{"type":"note","blocks":[]}'],
    ["configuration", '{"provider":"p","model":"m","system":"Be brief.","tools":{"value":[]},"parameters":{}}'],
    [
      "configuration",
      '{"provider":"p","model":"m","system":{"value":""},"tools":{"value":[{"name":"a"}]},"parameters":{}}',
    ],
    ["request", '{"maxTokens":-1}'],
    ["usage", '{"responseId":"r","freshTokens":1,"cacheReadTokens":1,"cacheWriteTokens":1,"outputTokens":1.5}'],
    ["replace", '{"from":1,"with":[]}'],
    ["replace", '{"from":1,"to":1,"with":[{"role":"user","blocks":[],"attachment":"note"}]}'],
    ["restore", '{"from":1,"to":2}'],
    ["restore", '{"of":3,"from":1,"to":2}'],
    ["boundary", '{"from":1,"to":2,"with":[],"outline":[{}],"state":{}}'],
    ["boundary", '{"from":1,"to":2,"with":[],"outline":[],"state":{"configuration":1,"ledger":{}}}'],
    ["rewind", '{"sharedTo":1}'],
    ["erased", '{"was":"message","entry":2,"stub":{"type":"note","blocks":[]}}'],
    ["erased", '{"was":"pin","entry":2,"stub":{"type":"note","blocks":[]}}'],
  ])("skips a %s with an invalid payload: %s", (kind, payload) => {
    expect(readPayload(entryOf(kind, payload))).toMatchObject({ kind: "passed-over", why: "malformed" });
  });

  test("does not throw for any payload", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.jsonValue(), (kind, value) => {
        expect(["passed-over", kind]).toContain(readPayload(entryOf(kind, JSON.stringify(value))).kind);
      }),
    );
  });
});
