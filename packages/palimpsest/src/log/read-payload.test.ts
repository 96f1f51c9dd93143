import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_LOG, type Entry } from "./entry.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";
import { readPayload } from "./read-payload.ts";
import { sealEntries } from "./seal-entries.ts";
import { toDraft } from "./to-draft.ts";

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
  },
  attachment: { type: "reminder", blocks: [{ kind: "text", text: "a" }] },
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
  restore: { of: 3, from: 1, to: 2, reason: "test" },
  boundary: {
    from: 1,
    to: 2,
    with: [],
    reason: "test",
    outline: [{ from: 3, to: 4 }],
    state: { configuration: 1, calibration: {}, ledger: {} },
  },
  rewind: { reason: "test", ledger: {}, sharedTo: 2 },
  fork: { session: "s", sequence: 3, hash: "h", source: "test" },
  pin: { text: "Never push to main." },
  unpin: { of: 3 },
  notes: { markdown: "# Title", coveredTo: 4 },
  attempt: { trigger: "auto", failure: "too-large", why: "test" },
  overflow: { request: 3, inputTokens: 210_000, limitTokens: 200_000 },
  agent: { id: "a1", step: "started", way: "background", goal: "Look around.", session: "s-a1" },
  mark: { name: "extract_memories", coveredTo: 12 },
  turn: { step: "answered", stop: "length", phase: "cut", cuts: 1 },
  call: { step: "waiting", call: "1", reason: "It writes outside of the project." },
  taken: { queue: "mail", number: 3, entries: 1 },
  key: { key: "a", entries: 2 },
  erased: { was: "attachment", entry: 2, stub: { type: "note", blocks: [{ kind: "text", text: "[Erased.]" }] } },
};
const KINDS = Object.keys(PAYLOAD_VERSIONS) as PayloadKind[];
const digest = (text: string): string => `${text.length}`;
const entryOf = (kind: string, payload: string, version = 1): Entry =>
  sealEntries([{ kind, version, payload }], { head: EMPTY_LOG, atMs: 0, digest })[0]!;

describe("reading a payload", () => {
  test.each(KINDS)("gives back what was written: %s", (kind) => {
    const draft = toDraft(kind, EXAMPLES[kind]);
    expect(readPayload(entryOf(draft.kind, draft.payload))).toEqual({ kind, sequence: 1, payload: EXAMPLES[kind] });
  });

  test("passes over what a later release has written", () => {
    expect(readPayload(entryOf("prophecy", "{}"))).toEqual({ kind: "passed-over", sequence: 1, why: "later" });
    expect(readPayload(entryOf("message", "{}", 2))).toMatchObject({ why: "later" });
    expect(readPayload(entryOf("constructor", "{}"))).toMatchObject({ why: "later" });
  });

  test("passes over what was erased", () => {
    expect(readPayload({ ...entryOf("message", "{}"), payload: undefined })).toMatchObject({ why: "erased" });
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
    ["message", '{"role":"user","blocks":[],"stored":{"file":"ab12.txt","digest":"ab12","bytes":-1,"lines":1}}'],
    ["attachment", '{"blocks":[]}'],
    ["configuration", '{"provider":"p","model":"m","system":"Be brief.","tools":{"value":[]},"parameters":{}}'],
    ["request", '{"maxTokens":-1}'],
    ["usage", '{"responseId":"r","freshTokens":1,"cacheReadTokens":1,"cacheWriteTokens":1,"outputTokens":1.5}'],
    ["replace", '{"from":1,"with":[]}'],
    ["restore", '{"from":1,"to":2}'],
    ["boundary", '{"from":1,"to":2,"with":[],"outline":[{}],"state":{}}'],
    ["rewind", '{"sharedTo":1}'],
  ])("passes over a %s that is none: %s", (kind, payload) => {
    expect(readPayload(entryOf(kind, payload))).toMatchObject({ kind: "passed-over", why: "malformed" });
  });

  test("never throws, whatever the payload", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.jsonValue(), (kind, value) => {
        expect(["passed-over", kind]).toContain(readPayload(entryOf(kind, JSON.stringify(value))).kind);
      }),
    );
  });
});
