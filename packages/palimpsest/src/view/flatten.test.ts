import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { HOST } from "../log/provenance.ts";
import { createFlattener, type FlattenRules, flattenSegment, placeMarks, type SegmentStart } from "./flatten.ts";
import { type Item, type MessageItem, toItem } from "./view.ts";

const RULES: FlattenRules = { provider: "ours", thinking: "bound" };

/** Items of all sorts with few ids, so that they meet: repeated, late, orphaned, interrupted. */
const kinds = fc.constantFrom("user", "call", "result", "answer", "thought", "seal");
const items: fc.Arbitrary<Item[]> = fc.array(fc.tuple(kinds, fc.nat(3)), { maxLength: 30 }).map((list) =>
  list.map(([kind, number], index) => {
    const from = index + 1;
    if (kind === "seal") return { kind: "seal", from, to: from, maxTokens: 1 };
    const blocks: Block[] =
      kind === "call"
        ? [{ kind: "tool_call", id: `${number}`, name: "look", input: {} }]
        : kind === "result"
          ? [{ kind: "tool_result", callId: `${number}`, content: `of ${from}`, status: "ok" }]
          : kind === "thought"
            ? [{ kind: "thinking", provider: "ours", text: "", signature: `${from}` }]
            : [{ kind: "text", text: `${kind} ${from}` }];
    const role = kind === "user" || kind === "result" ? "user" : "assistant";
    const responseId = role === "assistant" && number > 0 ? { responseId: `r${number}` } : {};
    return toItem({ from, to: from, role, blocks, origin: role === "user" ? "human" : "model", ...responseId });
  }),
);

const flattenAtOnce = (list: readonly Item[]) => {
  const flattener = createFlattener(RULES);
  flattener.update(list, 0);
  return structuredClone(flattener.messages);
};

test("gives the same messages incrementally as all at once", () => {
  fc.assert(
    fc.property(items, (list) => {
      const flattener = createFlattener(RULES);
      for (let length = 1; length <= list.length; length++) {
        const before = structuredClone(flattener.messages);
        const unchanged = flattener.update(list.slice(0, length), length - 1);
        expect(flattener.messages.slice(0, unchanged)).toEqual(before.slice(0, unchanged));
      }
      expect(flattener.messages).toEqual(flattenAtOnce(list));
    }),
  );
});

test("gives the same messages after a change in the middle as from the start", () => {
  fc.assert(
    fc.property(items, fc.nat(29), (list, nat) => {
      const at = Math.min(nat, list.length - 1);
      if (list[at]?.kind !== "message") return;
      const changed = list.with(
        at,
        toItem({ from: at + 1, to: at + 1, role: "user", blocks: [{ kind: "text", text: "instead" }], origin: "host" }),
      );
      const flattener = createFlattener(RULES);
      flattener.update(list, 0);
      flattener.update(changed, at);
      expect(flattener.messages).toEqual(flattenAtOnce(changed));
    }),
  );
});

test("starts each request with the blocks of the previous request", () => {
  const blocksOf = (list: readonly Item[]) =>
    flattenAtOnce(list).flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block })));
  fc.assert(
    fc.property(items, (list) => {
      const seals = list.flatMap((item, index) => (item.kind === "seal" ? [index + 1] : []));
      for (const [earlier, later] of seals.slice(1).map((end, index) => [seals[index]!, end] as const)) {
        const before = blocksOf(list.slice(0, earlier));
        expect(blocksOf(list.slice(0, later)).slice(0, before.length)).toEqual(before);
      }
    }),
  );
});

test("removes joined blocks together with their segment, even after an empty segment", () => {
  const says = (from: number, text: string): Item =>
    toItem({ from, to: from, role: "user", blocks: [{ kind: "text", text }], origin: "human" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1 });
  const flattener = createFlattener(RULES);
  const list = [says(1, "one"), seal(2), says(3, " "), seal(4), says(5, "secret"), seal(6)];
  flattener.update(list, 0);
  const unchanged = flattener.update([list[0]!, list[1]!], 2);
  expect([unchanged, flattener.messages]).toEqual([0, flattenAtOnce(list.slice(0, 2))]);
});

test("returns the ends of the newest requests, except those whose last message has grown", () => {
  const user = (from: number): Item =>
    toItem({ from, to: from, role: "user", blocks: [{ kind: "text", text: `${from}` }], origin: "human" });
  const model = (from: number): Item =>
    toItem({ from, to: from, role: "assistant", blocks: [{ kind: "text", text: `${from}` }], origin: "model" });
  const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1 });
  const flattener = createFlattener(RULES);
  flattener.update([user(1), seal(2), model(3), user(4), seal(5), user(6), seal(7), model(8), user(9), seal(10)], 0);
  expect(flattener.messages).toHaveLength(5);
  // The request of entry 5 ended in the message that the user added to at entry 6.
  expect(flattener.newestEnds(4)).toEqual([1, 3, 5]);
  expect(flattener.newestEnds(1)).toEqual([5]);
});

const BEGINNING: SegmentStart = { seal: 0, role: undefined, usedIds: new Set() };

let nextEntry = 1;
const item = (role: "user" | "assistant", blocks: readonly Block[], more: Partial<MessageItem> = {}): MessageItem => {
  const at = nextEntry++;
  return toItem({ from: at, to: at, role, blocks, origin: role === "user" ? "human" : "model", ...more });
};
const text = (words: string): Block => ({ kind: "text", text: words });
const thinking = (signature: string, provider = "ours"): Block => ({ kind: "thinking", provider, text: "", signature });
const call = (id: string, name = "look"): Block => ({ kind: "tool_call", id, name, input: {} });
const result = (callId: string, content = `result of ${callId}`): Block => ({
  kind: "tool_result",
  callId,
  content,
  status: "ok",
});

/** Messages as short words: who says what. */
function flat(items: readonly MessageItem[], start: SegmentStart = BEGINNING, rules = RULES): string[] {
  return flattenSegment(items, start, rules).messages.map(
    ({ role, blocks }) => `${role}: ${blocks.map(inShort).join(" | ")}`,
  );
}

function inShort(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "thinking":
      return `(${block.signature})`;
    case "tool_call":
      return `${block.name}#${block.id}`;
    case "tool_result":
      return `#${block.callId} ${(block.content as Block[]).map(inShort).join("+")}`;
    default:
      return block.kind;
  }
}

describe("flattenSegment", () => {
  test("joins neighbors of one role into one message", () => {
    expect(flat([item("user", [text("a")]), item("user", [text("b")])])).toEqual(["user: a | b"]);
  });

  test("keeps the thinking of one response per message, even for adjacent responses", () => {
    const items = [
      item("assistant", [thinking("one"), text("a")], { responseId: "1" }),
      item("user", [text(" ")]),
      item("assistant", [thinking("two"), text("b")], { responseId: "2" }),
    ];
    const said = flat(items, { ...BEGINNING, role: "user" }, { ...RULES, thinking: "free" });
    expect(said[0]).toBe("assistant: (one) | a | b");
  });

  test("puts results first in the message after their calls, in the order of the calls", () => {
    const items = [
      item("user", [text("go")]),
      item("assistant", [text("both"), call("1"), call("2")]),
      item("user", [text("by the way")]),
      item("user", [result("2")]),
      item("user", [result("1")]),
    ];
    expect(flat(items)).toEqual([
      "user: go",
      "assistant: both | look#1 | look#2",
      "user: #1 result of 1 | #2 result of 2 | by the way",
    ]);
  });

  test("joins the pieces of one response across the results between them", () => {
    const items = [
      item("user", [text("go")]),
      item("assistant", [call("1")], { responseId: "r" }),
      item("user", [result("1")]),
      item("assistant", [call("2")], { responseId: "r" }),
      item("user", [result("2")]),
    ];
    expect(flat(items)).toEqual(["user: go", "assistant: look#1 | look#2", "user: #1 result of 1 | #2 result of 2"]);
  });

  test("answers a call without a result by a placeholder", () => {
    expect(flat([item("user", [text("go")]), item("assistant", [call("1")])]).at(-1)).toMatch(/^user: #1 No result: /);
  });

  test("sends a result without a call, or a second result, as text", () => {
    const items = [
      item("user", [text("go")]),
      item("assistant", [call("1")]),
      item("user", [result("1", "first")]),
      item("user", [result("1", "second")]),
      item("user", [result("9", "whose?")]),
    ];
    expect(flat(items).at(-1)).toBe(
      "user: #1 first | Result of an earlier tool call (1): | second | Result of an earlier tool call (9): | whose?",
    );
  });

  test("pairs calls with one id and their results in order, and sends each call under its own id", () => {
    nextEntry = 10;
    const items = [
      item("user", [text("go")]),
      item("assistant", [call("0"), call("0")]),
      item("user", [result("0", "first")]),
      item("user", [result("0", "second")]),
    ];
    expect(flat(items)).toEqual([
      "user: go",
      "assistant: look#0 | look#call_11_1",
      "user: #0 first | #call_11_1 second",
    ]);
  });

  test("replaces an id that an earlier request used or that providers refuse", () => {
    nextEntry = 20;
    const items = [item("assistant", [call("old"), call("a.b", "my tool")])];
    expect(flat(items, { seal: 5, role: "user", usedIds: new Set(["old"]) })[0]).toBe(
      "assistant: look#call_20_1 | my_tool#call_20",
    );
  });

  test("puts the response directly after its request, before items that arrived during the response", () => {
    const items = [
      item("user", [text("meanwhile")]),
      item("assistant", [thinking("t"), call("1")], { answers: 7, responseId: "r" }),
      item("user", [result("1")]),
    ];
    expect(flat(items, { seal: 7, role: "user", usedIds: new Set() })).toEqual([
      "assistant: (t) | look#1",
      "user: #1 result of 1 | meanwhile",
    ]);
  });

  test("leaves out thinking that has lost its place if thinking is bound, and keeps it if thinking is free", () => {
    const items = [item("assistant", [thinking("t"), text("late answer")], { answers: 3 })];
    const start: SegmentStart = { seal: 7, role: "user", usedIds: new Set() };
    expect(flat(items, start)[0]).toBe("assistant: late answer");
    expect(flat(items, start, { ...RULES, thinking: "free" })[0]).toBe("assistant: (t) | late answer");
    const lost = [item("assistant", [thinking("t"), text("x")], { thinking: "lost" })];
    expect(flat(lost, start)[0]).toBe("assistant: x");
  });

  test("leaves out blocks that another provider signed or wrote", () => {
    const theirs: Block = { kind: "opaque", native: { provider: "theirs", block: {} } };
    expect(flat([item("user", [text("a"), theirs]), item("assistant", [thinking("t", "theirs"), text("b")])])).toEqual([
      "user: a",
      "assistant: b",
      "user: Continue.",
    ]);
  });

  test("leaves out a message that contains only thinking, and thinking at the end of a message", () => {
    const items = [
      item("user", [text("a")]),
      item("assistant", [thinking("t"), text(" ")]),
      item("user", [text("b")]),
      item("assistant", [text("c"), thinking("t")]),
      item("user", [text("d")]),
    ];
    expect(flat(items)).toEqual(["user: a | b", "assistant: c", "user: d"]);
  });

  test("removes thinking that must be followed by the removed blank text", () => {
    const native = { provider: "ours", block: {} };
    const sealed: Block = { kind: "thinking", provider: "ours", text: "", signature: "sealed", native };
    const responses = (first: Block) => [
      item("user", [text("a")]),
      item("assistant", [first, text(" "), call("1")], { answers: 0 }),
    ];
    expect(flat(responses(sealed))[1]).toBe("assistant: look#1");
    expect(flat(responses(thinking("signed")))[1]).toBe("assistant: (signed) | look#1");
  });

  test("begins and ends with a user message, unless the model paused", () => {
    const paused = item("assistant", [text("more to come")], { stop: "paused", provider: "ours" });
    expect(flat([item("assistant", [text("hello")])])).toEqual([
      "user: (The beginning of this conversation is not available.)",
      "assistant: hello",
      "user: Continue.",
    ]);
    expect(flat([item("user", [text("go")]), paused]).at(-1)).toBe("assistant: more to come");
    const elsewhere = { ...paused, provider: "theirs" };
    expect(flat([item("user", [text("go")]), elsewhere]).at(-1)).toBe("user: Continue.");
  });

  test("leaves out empty and blank content, and marks attachments", () => {
    const reminder = item("user", [text("Be kind.")], { attachment: "rule", provenance: HOST });
    expect(flat([item("user", [text(""), text(" \n"), text("a")]), reminder])).toEqual([
      "user: a | <system-reminder>\nBe kind.\n</system-reminder>",
    ]);
    expect(flat([item("user", [text("")])])).toEqual([]);
  });

  test("puts a compaction by the provider first, and sends it to other providers as a summary", () => {
    const inItsForm: Block = { kind: "text", text: "Earlier.", native: { provider: "ours", block: {} } };
    const compacted = item("assistant", [inItsForm], { origin: "summary", by: 9 });
    const answer = item("assistant", [thinking("t"), text("and on")], { answers: compacted.to, responseId: "r" });
    const items = [compacted, item("user", [text("meanwhile")]), answer];
    expect(flat(items)).toEqual(["assistant: Earlier. | (t) | and on", "user: meanwhile"]);
    expect(flat(items, BEGINNING, { ...RULES, provider: "theirs" })).toEqual([
      "user: Earlier. | meanwhile",
      "assistant: and on",
      "user: Continue.",
    ]);
    const answerInItsForm = item("assistant", [inItsForm]);
    expect(flat([item("user", [text("go")]), answerInItsForm])[1]).toBe("assistant: Earlier.");
  });

  test("keeps the provider's own form of a call unless its id or name is replaced", () => {
    const native = { provider: "ours", block: {} };
    const calls = (["1 look", "a.b look", "2 my tool"] as const).map((words): Block => {
      const [id = "", ...name] = words.split(" ");
      return { kind: "tool_call", id, name: name.join(" "), input: {}, native };
    });
    nextEntry = 30;
    const { messages } = flattenSegment([item("assistant", calls)], { ...BEGINNING, role: "user" }, RULES);
    const ours = { kind: "tool_call", input: {} };
    expect(messages[0]?.blocks).toEqual([
      { ...ours, id: "1", name: "look", native },
      { ...ours, id: "call_30", name: "look" },
      { ...ours, id: "2", name: "my_tool" },
    ]);
  });

  test("marks a late result with a known source as data, with its call", () => {
    const late = item("user", [result("9", "whose?")], { origin: "tool", provenance: { kind: "tool", name: "look" } });
    expect(flat([late])).toEqual([
      'user: <marked-data from="tool" name="look" of="an earlier call" call="9">\nwhose?\n</marked-data>',
    ]);
  });

  test("replaces half characters everywhere", () => {
    const items = [
      item("user", [text("a\ud800")]),
      item("assistant", [{ kind: "tool_call", id: "1", name: "look", input: { "\udc00": ["\ud800"] } }]),
      item("user", [result("1", "\ud800b")]),
    ];
    const { messages } = flattenSegment(items, BEGINNING, RULES);
    expect(JSON.stringify(messages)).not.toContain("\\ud");
    expect(JSON.stringify(messages)).toContain("a\ufffd");
  });
});

test("marks the ends of this request and of the two previous requests", () => {
  expect(placeMarks([1, 3, 5, 9])).toEqual([2, 4, 8]);
  expect(placeMarks([1])).toEqual([0]);
  expect(placeMarks([])).toEqual([]);
});
