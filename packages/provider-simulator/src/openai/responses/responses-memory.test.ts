import { expect, test } from "vitest";
import { manualClock } from "../../clock.ts";
import { Prefix } from "../../prefix.ts";
import { answer, callTool, callTools, think } from "../../script.ts";
import { createOpenAiResponses } from "./responses.ts";
import { ResponsesMemory } from "./responses-memory.ts";

const model = "gpt-6-sol";
const words = "word ".repeat(3_000);

function service() {
  const openai = createOpenAiResponses({
    clock: manualClock(),
    script: ({ turn }) => (turn === 0 ? think("Hm.", callTools(callTool("read", {}))) : answer("Done.")),
  });
  const send = (fields: object, account: string) => openai.answer({ model, input: words, ...fields }, { account });
  const respond = (fields: object, account: string) => {
    const answered = send(fields, account);
    if (answered.kind === "refused") throw new Error(answered.message);
    return answered.response as unknown as { id: string; output: { id: string; type: string; call_id: string }[] };
  };
  return { openai, send, respond };
}

test("7.1 a stored response is continued by its own account only", () => {
  const { send, respond } = service();
  const { id, output } = respond({}, "a");
  const input = [{ type: "function_call_output", call_id: output.at(-1)!.call_id, output: "x" }];
  expect(send({ previous_response_id: id, input }, "b")).toMatchObject({
    kind: "refused",
    status: 400,
    body: { error: { code: "previous_response_not_found", message: `Previous response with id '${id}' not found.` } },
  });
  expect(send({ previous_response_id: id, input }, "a")).toMatchObject({ kind: "answered" });
});

test("7.1 a stored item is referred to by its own account only, and another does not learn that it exists", () => {
  const { send, respond } = service();
  const { output } = respond({}, "a");
  const input = [
    ...output.map(({ id }) => ({ type: "item_reference", id })),
    { type: "function_call_output", call_id: output.at(-1)!.call_id, output: "x" },
  ];
  const message = `Item with id '${output[0]!.id}' not found.`;
  expect(send({ input }, "b")).toMatchObject({ kind: "refused", status: 404, message });
  expect(send({ input }, "a")).toMatchObject({ kind: "answered" });
});

test("7.2 a response is compared with those of its own account only", () => {
  const { openai, respond } = service();
  const { id } = respond({}, "a");
  const compare = (account: string) =>
    openai.answer({ model, input: words, prompt_cache_options: { comparison_response_id: id } }, { account });
  expect(compare("b")).toMatchObject({
    response: { prompt_cache_diagnostics: { type: "comparison_response_not_found" } },
  });
  expect(compare("a")).toMatchObject({ response: { prompt_cache_diagnostics: { type: "cache_hit" } } });
});

test("7.1 the account is told from the key", () => {
  const { openai, respond } = service();
  const { id } = respond({}, "Bearer a");
  const status = (authorization: string) =>
    openai.handle({
      method: "POST",
      path: "/v1/responses/input_tokens",
      headers: { authorization },
      body: JSON.stringify({ model, previous_response_id: id, input: [] }),
    });
  expect(status("Bearer b")).toMatchObject({ body: { error: { code: "previous_response_not_found" } } });
  expect(status("Bearer a")).not.toMatchObject({ body: { error: { code: "previous_response_not_found" } } });
});

test("7.2 the latest 64 responses can be compared with, older ones are known but not compared", () => {
  const memory = new ResponsesMemory();
  const fingerprint = { settings: {}, prefix: new Prefix(), compacted: "whole" } as const;
  for (let index = 0; index < 64; index++) memory.keepFingerprint(`resp_${index}`, fingerprint);
  expect(memory.fingerprintOf("resp_0")).toBe(fingerprint);
  memory.keepFingerprint("resp_64", fingerprint);
  expect(memory.fingerprintOf("resp_0")).toBe("unavailable");
  expect(memory.fingerprintOf("resp_1")).toBe(fingerprint);
  expect(memory.fingerprintOf("resp_none")).toBe("not-found");
});
