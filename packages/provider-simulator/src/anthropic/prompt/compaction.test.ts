import { expect, test } from "vitest";
import { overloaded } from "../../faults.ts";
import { type Script, think } from "../../script.ts";
import { createAnthropic } from "../anthropic.ts";
import type { Block, CallOptions, Message } from "../request.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
const threshold: CallOptions = { betas: ["compact-2026-01-12"] };
const onDemand: CallOptions = { betas: ["compact-2026-09-04"] };
/** 60,000 tokens. */
const large = user("x".repeat(210_000));
const compact = (fields: object = {}) => ({
  context_management: {
    edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 }, ...fields }],
  },
});
const speaker: Script = ({ purpose, turn }) =>
  purpose === "compaction"
    ? { words: [{ kind: "text", text: "The story so far." }] }
    : think(`thought ${turn}`, { words: [{ kind: "text", text: `answer ${turn}` }] });

function world(script: Script = speaker, model = "claude-opus-5-5") {
  const anthropic = createAnthropic({ script });
  const send = (messages: readonly Message[], fields: object, call: CallOptions) =>
    anthropic.answer({ model, max_tokens: 1_000, system: "Be careful.", messages, ...fields }, call);
  const answer = (messages: readonly Message[], fields: object, call: CallOptions) => {
    const result = send(messages, fields, call);
    if (result.kind === "refused") throw new Error(result.message);
    return result;
  };
  const code = (messages: readonly Message[], fields: object = {}, call = onDemand) => {
    const result = send(messages, fields, call);
    if (result.kind === "answered") return "answered";
    const { error } = result.body as { error: { message: string; details?: { error_code: string } } };
    return error.details?.error_code ?? error.message;
  };
  return { answer, code };
}

test("3.3 below the trigger nothing happens; from it on the service sums up and goes on", () => {
  const { answer } = world();
  expect(answer([user("Hi")], compact(), threshold).response.content.map(({ type }) => type)).toEqual([
    "thinking",
    "text",
  ]);
  const { response } = answer([large], compact(), threshold);
  expect(response.content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
  expect(response.content[0]).toEqual({
    type: "compaction",
    content: "The story so far.",
    encrypted_content: expect.any(String),
  });
  expect(response).toMatchObject({ stop_reason: "end_turn", context_management: { applied_edits: [] } });
});

test("3.3 usage: the compaction is an iteration of its own and not in the totals", () => {
  const { answer } = world();
  const { response, usage, priceUsd } = answer([large], compact(), threshold);
  const [compaction, message] = response.usage.iterations;
  expect(response.usage.iterations.map(({ type }) => type)).toEqual(["compaction", "message"]);
  expect(compaction).toMatchObject({ input_tokens: 60_004 + 8, output_tokens: 5 });
  expect(compaction).not.toHaveProperty("model");
  // The summary and the system prompt are all that is left.
  expect(message).toMatchObject({ input_tokens: 8 + 9, model: "claude-opus-5-5" });
  expect(response.usage.input_tokens).toBe(message!.input_tokens);
  expect(response.usage.output_tokens).toBe(message!.output_tokens);
  expect(usage.freshTokens).toBe(60_012 + 17);
  expect(priceUsd).toBeCloseTo((60_029 * 4 + usage.outputTokens * 20) / 1e6, 12);
});

test("3.3 paused: only the block, and the model is not asked for an answer", () => {
  const { answer } = world();
  const { response } = answer([large], compact({ pause_after_compaction: true }), threshold);
  expect(response.content.map(({ type }) => type)).toEqual(["compaction"]);
  expect(response).toMatchObject({ stop_reason: "compaction", usage: { input_tokens: 0, output_tokens: 0 } });
  const next = answer([large, assistant(...response.content), user("Next")], {}, threshold);
  expect(next.response.content.at(-1)).toMatchObject({ text: "answer 0" });
});

test("3.3 a replayed block stands for everything before it", () => {
  const { answer } = world();
  const { response } = answer([large], compact(), threshold);
  const history = [large, assistant(...response.content), user("Next")];
  const { acceptance } = answer(history, compact(), threshold);
  expect(acceptance.inputTokens).toBeLessThan(500);
  expect(answer(history.slice(1), {}, threshold).acceptance.inputTokens).toBe(acceptance.inputTokens);
});

test("3.3 several blocks in one history: the latest counts", () => {
  const { answer } = world();
  const history: Message[] = [large];
  for (let round = 0; round < 3; round++) {
    const { response } = answer(history, compact(), threshold);
    history.push(assistant(...response.content), large);
  }
  const { acceptance } = answer(history, compact(), threshold);
  expect(acceptance.inputTokens).toBeLessThan(61_000);
});

test("3.3 a failed compaction is a block without content, harmless to send back, and the whole prompt stays", () => {
  const failing: Script = (ask) => (ask.purpose === "compaction" ? { words: [] } : speaker(ask));
  const { answer } = world(failing);
  const { response } = answer([large], compact(), threshold);
  expect(response.content[0]).toEqual({ type: "compaction", content: null, encrypted_content: null });
  expect(response.usage.input_tokens).toBe(60_012);
  const next = answer([large, assistant(...response.content), user("Next")], {}, threshold);
  expect(next.acceptance.inputTokens).toBeGreaterThan(60_012);
});

test("3.3 the trigger is at least 50,000, and content may not be empty", () => {
  const { code } = world();
  const trigger = { type: "input_tokens", value: 49_999 };
  expect(code([large], compact({ trigger }), threshold)).toBe(
    "context_management.edits.0.trigger.value: Input should be greater than or equal to 50000",
  );
  expect(code([user("Hi"), assistant({ type: "compaction", content: "" }), user("Hi")], {}, threshold)).toBe(
    "messages.1.content.0.compaction.content: String should have at least 1 character",
  );
});

test("3.3 the default trigger is 150,000 tokens", () => {
  const { answer } = world();
  const edits = { context_management: { edits: [{ type: "compact_20260112" }] } };
  const types = (...messages: Message[]) => answer(messages, edits, threshold).response.content.map(({ type }) => type);
  expect(types(large, large)).toEqual(["thinking", "text"]);
  expect(types(large, large, large)).toEqual(["compaction", "thinking", "text"]);
});

test("3.3 the second pass reads what the first has cached of tools and system prompt", () => {
  const { answer } = world();
  const system = [{ type: "text", text: "s".repeat(7_000), cache_control: { type: "ephemeral" } }];
  const { response } = answer([large], { ...compact(), system }, threshold);
  expect(response.usage.iterations).toMatchObject([
    { type: "compaction", cache_creation_input_tokens: 2_004, cache_read_input_tokens: 0 },
    { type: "message", cache_creation_input_tokens: 0, cache_read_input_tokens: 2_004 },
  ]);
});

test("6 each pass is billed by the size of its own prompt", () => {
  const { answer } = world(speaker, "claude-haiku-5-5");
  const { usage, priceUsd } = answer([large], { ...compact(), system: "s".repeat(105_000) }, threshold);
  expect(usage.freshTokens).toBeGreaterThan(100_000);
  expect(priceUsd).toBeCloseTo((usage.freshTokens * 0.1 + usage.outputTokens * 0.5) / 1e6, 12);
});

const summarize = { compaction: { type: "summarize" } };
const talk = [user("One"), assistant({ type: "text", text: "Two" })];

test("3.4 on demand: only the signed block, nothing in the totals, one compaction iteration", () => {
  const { answer } = world();
  const { response } = answer([...talk, user("Three")], summarize, onDemand);
  expect(response.content).toEqual([
    {
      type: "compaction",
      content: "The story so far.",
      encrypted_content: null,
      signature: expect.any(String),
      tool_changes: [],
    },
  ]);
  expect(response).toMatchObject({ stop_reason: "compaction", usage: { input_tokens: 0, output_tokens: 0 } });
  expect(response.usage.iterations).toMatchObject([{ type: "compaction", input_tokens: 24, output_tokens: 5 }]);
});

test("3.4 a conversation that ends with the model can be summed up", () => {
  expect(world().code(talk, summarize)).toBe("answered");
});

const signed = () => {
  const { answer, code } = world();
  const { content } = answer(talk, summarize, onDemand).response;
  return { answer, code, block: content[0]! };
};

test("3.4 the block replaces the messages it stands for, and needs the beta to do so", () => {
  const { answer, code, block } = signed();
  const { acceptance } = answer([assistant(block), user("Next")], {}, onDemand);
  expect(acceptance.inputTokens).toBe(8 + 9 + 6);
  expect(code([assistant(block), user("Next")], {}, {})).toMatch(/Input tag 'compaction'/);
});

test.each<[string, (block: Block) => Message[], string]>([
  [
    "two blocks with content",
    (block) => [assistant(block), user("x"), assistant(block), user("y")],
    "compaction_block_ambiguous",
  ],
  ["not first", (block) => [user("x"), assistant(block), user("y")], "compaction_block_misplaced"],
  ["in a system message", (block) => [user("x"), { role: "system", content: [block] }], "compaction_block_misplaced"],
  [
    "another text",
    (block) => [assistant({ ...block, content: "Another story." }), user("y")],
    "compaction_content_mismatch",
  ],
  [
    "a signature of one's own",
    (block) => [assistant({ ...block, signature: "AAAA" }), user("y")],
    "compaction_signature_invalid",
  ],
  ["no signature", ({ signature: _, ...block }) => [assistant(block), user("y")], "compaction_signature_invalid"],
  [
    "other tool changes",
    (block) => [assistant({ ...block, tool_changes: [{}] }), user("y")],
    "compaction_tool_changes_mismatch",
  ],
])("1.7 typed errors of a replayed block: %s", (_, messages, expected) => {
  const { code, block } = signed();
  expect(code(messages(block))).toBe(expected);
});

test.each<[string, Message[], object, string]>([
  [
    "an open call",
    [user("x"), assistant({ type: "tool_use", id: "a", name: "read", input: {} })],
    summarize,
    "compaction_incomplete_turn",
  ],
  [
    "a paused turn",
    [user("x"), assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} })],
    summarize,
    "compaction_incomplete_turn",
  ],
  ["nothing to sum up", [{ role: "assistant", content: "" }], summarize, "compaction_nothing_to_summarize"],
  [
    "stop sequences",
    talk,
    { ...summarize, stop_sequences: ["x"] },
    "compaction: cannot be combined with `stop_sequences`",
  ],
  [
    "an output format",
    talk,
    { ...summarize, output_config: { format: {} } },
    "compaction: cannot be combined with `output_config.format`",
  ],
  ["another type", talk, { compaction: { type: "shorten" } }, "compaction.type: Input should be 'summarize'"],
])("3.4 refused: %s", (_, messages, fields, expected) => {
  expect(world().code(messages, fields)).toBe(expected);
});

test("0.6 the two compactions cannot be combined", () => {
  const both = { betas: [...threshold.betas!, ...onDemand.betas!] };
  const { code, block } = signed();
  expect(code(talk, { ...summarize, ...compact() }, both)).toBe(
    "compaction: cannot be combined with `context_management`",
  );
  expect(code([assistant(block), user("Next")], compact(), both)).toBe(
    "context_management: a signed `compaction` block cannot be combined with `compact_20260112`",
  );
});

test("1.7 a compaction that cannot be done now is a 529 with its code", () => {
  const fault = { ...overloaded(), code: "compaction_unavailable" };
  expect(world(() => ({ words: [], fault })).code(talk, summarize)).toBe("compaction_unavailable");
});

test("3.5 count_tokens takes compaction and ignores it", () => {
  const count = (fields: object) =>
    createAnthropic().countTokens({ model: "claude-opus-5-5", messages: talk, ...fields }, onDemand);
  expect(count({ compaction: null, messages: [...talk, user("x")] })).toEqual(
    count({ ...summarize, messages: [...talk, user("x")] }),
  );
});

test("1.7 thinking after a compaction is bound to what follows the block, not to what stood before it", () => {
  const { answer, code } = world();
  const { response } = answer([large], compact(), threshold);
  const [block, thinking, text] = response.content as [Block, Block, Block];
  expect(code([large, assistant(block, thinking, text), user("Next")], {}, threshold)).toBe("answered");
  expect(code([assistant(block, thinking, text), user("Next")], {}, threshold)).toBe("answered");
  expect(code([user("Other"), assistant(block, thinking, text), user("Next")], {}, threshold)).toBe("answered");
  const inserted = assistant(block, { type: "text", text: "Mind." }, thinking, text);
  expect(code([inserted, user("Next")], {}, threshold)).toMatch(/bound to a different conversation/);
  expect(code([assistant(block, thinking, text), user("Next")], { system: "x" }, threshold)).toMatch(/bound to/);
});

test("3.4 in the background: thinking of newer turns stays valid if the block replaces exactly what it summed up", () => {
  const { answer, code } = world();
  const messages: Message[] = [user("0")];
  const play = () => {
    messages.push(assistant(...answer(messages, {}, onDemand).response.content), user(`${messages.length}`));
  };
  play();
  play();
  const { content } = answer(messages, summarize, onDemand).response;
  const summed = messages.length;
  play();
  play();
  expect(code([assistant(...content), ...messages.slice(summed)])).toBe("answered");
  expect(code([assistant(...content), ...messages.slice(summed + 2)])).toMatch(/bound to a different conversation/);
  expect(code([assistant(...content), ...messages.slice(summed - 2)])).toMatch(/bound to a different conversation/);
});
