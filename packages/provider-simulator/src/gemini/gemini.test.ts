import { expect, test } from "vitest";
import { manualClock } from "../clock.ts";
import { answer, callTool, callTools, inOrder, think } from "../script.ts";
import { createGemini } from "./gemini.ts";
import { geminiModels } from "./models.ts";

const MODEL = "gemini-4-argon";
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const tools = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: { type: "object" } }] }];
const call = (name: string, signature?: string) => ({
  functionCall: { name, args: {} },
  ...(signature === undefined ? {} : { thoughtSignature: signature }),
});
const response = (name: string) => ({ functionResponse: { name, response: { output: "text" } } });
const SKIP = "skip_thought_signature_validator";

test.each([
  ["no contents", {}, "* GenerateContentRequest.contents: contents is not specified\n"],
  [
    "a content without parts",
    { contents: [user("Hi"), { role: "model", parts: [] }] },
    "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
  ],
  [
    "parts without data, all of them at once",
    { contents: [{ role: "user", parts: [{}, { thought: true }] }] },
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n" +
      "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized field\n",
  ],
  ["an empty text", { contents: [user("")] }, "Unable to submit request because it has an empty text parameter."],
  ["a role of its own", { contents: [{ ...user("Hi"), role: "narrator" }] }, "Please use a valid role: user, model."],
  [
    "an unknown field",
    { contents: [user("Hi")], google: {} },
    'Invalid JSON payload received. Unknown name "google": Cannot find field.',
  ],
  [
    "an unknown field inside, named as the service does",
    { contents: [{ role: "user", parts: [{ functionResponse: { call: 1 } }] }] },
    "Invalid JSON payload received. Unknown name \"call\" at 'contents[0].parts[0].function_response': Cannot find field.",
  ],
  [
    "a wrong type",
    { contents: [user("Hi")], generation_config: { temperature: "hot" } },
    "Invalid value at 'generation_config.temperature' (TYPE_FLOAT), \"hot\"",
  ],
  [
    "a schema of another kind",
    {
      contents: [user("Hi")],
      tools: [
        {
          functionDeclarations: [
            { name: "read", parameters: { type: "object", properties: { path: { const: "a" } }, $schema: "x" } },
          ],
        },
      ],
    },
    "Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field.\n" +
      "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.",
  ],
  [
    "a function name with a space",
    { contents: [user("Hi")], tools: [{ functionDeclarations: [{ name: "read file" }] }] },
    "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter",
  ],
  [
    "a function twice",
    { contents: [user("Hi")], tools: [...tools, ...tools] },
    "Duplicate function declaration found: read",
  ],
  [
    "more output than there can be",
    { contents: [user("Hi")], generationConfig: { maxOutputTokens: 2_000_000 } },
    "maxOutputTokens value of 2000000 but the supported range is from 1 (inclusive) to 1048577 (exclusive)",
  ],
  [
    "a budget for thinking, which this model does not take",
    { contents: [user("Hi")], generationConfig: { thinkingConfig: { thinkingBudget: 10 } } },
    "Thinking budget is not supported for this model.",
  ],
  [
    "cached contents, which are not simulated",
    { contents: [user("Hi")], cachedContent: "cachedContents/1" },
    "CachedContent not found (or permission denied)",
  ],
  [
    "a broken image",
    { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] }] },
    "Unable to process input image.",
  ],
])("8.1 %s is refused", (_, request, message) => {
  const verdict = createGemini().judge(MODEL, request);
  expect(verdict).toMatchObject({ kind: "refused", message: expect.stringContaining(message) });
});

test("8.1 names in both spellings, and one object where a list may stand", () => {
  const request = { contents: { parts: { text: "Hi" } }, system_instruction: { parts: [{ text: "Be kind." }] } };
  expect(createGemini().judge(MODEL, request)).toMatchObject({ kind: "accepted", model: MODEL });
  expect(createGemini().judge("gemini-0", request)).toMatchObject({
    status: 404,
    message: expect.stringMatching(/^models\/gemini-0 is not found for API version v1beta/),
  });
});

const EQUAL = "number of function response parts is equal to the number of function call parts";
test.each([
  ["a call with its response", [user("Hi"), ["model", call("read", SKIP)], ["user", response("read")]], undefined],
  [
    "words beside the responses",
    [user("Hi"), ["model", call("read", SKIP)], ["user", response("read"), { text: "Go on." }]],
    undefined,
  ],
  [
    "a call that begins the conversation",
    [
      ["model", call("read", SKIP)],
      ["user", response("read")],
    ],
    "function call turn comes immediately after a user turn",
  ],
  [
    "a call after an answer",
    [user("Hi"), ["model", { text: "Yes." }], ["model", call("read", SKIP)]],
    "function call turn comes",
  ],
  ["a call without a response", [user("Hi"), ["model", call("read", SKIP)], user("And?")], EQUAL],
  ["a call at the end", [user("Hi"), ["model", call("read", SKIP)]], EQUAL],
  [
    "two calls with one response",
    [user("Hi"), ["model", call("read", SKIP), call("read")], ["user", response("read")]],
    EQUAL,
  ],
  [
    "a response without a call",
    [user("Hi"), ["user", response("read")]],
    "function response turn comes immediately after",
  ],
  [
    "a response without a name",
    [user("Hi"), ["model", call("read", SKIP)], ["user", response("")]],
    "contents[2].parts[0].function_response.name: Name cannot be empty.",
  ],
])("8.2 %s", (_, turns, message) => {
  const contents = turns.map((turn) => (Array.isArray(turn) ? { role: turn[0], parts: turn.slice(1) } : turn));
  const verdict = createGemini().judge(MODEL, { contents, tools });
  expect(verdict).toMatchObject(
    message === undefined ? { kind: "accepted" } : { kind: "refused", message: expect.stringContaining(message) },
  );
});

test("8.3 the first call of each step in this turn comes back signed, by this service; earlier turns are not checked", () => {
  const script = inOrder([callTools(callTool("read", { n: 1 }), callTool("read", { n: 2 })), answer("Done.")]);
  const gemini = createGemini({ script });
  const contents: object[] = [user("Hi")];
  const first = gemini.answer(MODEL, { contents, tools });
  if (first.kind === "refused") throw new Error(first.message);
  const [candidate] = first.response.candidates;
  const parts = candidate!.content.parts!;
  expect(parts.map(({ thoughtSignature }) => thoughtSignature !== undefined)).toEqual([true, false]);
  const results = { role: "user", parts: [response("read"), response("read")] };
  const unsigned = parts.map(({ thoughtSignature: _, ...part }) => part);
  const judge = (sent: readonly object[], ...after: object[]) =>
    gemini.judge(MODEL, { contents: [...contents, { role: "model", parts: sent }, results, ...after], tools });
  expect(judge(parts)).toMatchObject({ kind: "accepted" });
  expect(judge(unsigned)).toMatchObject({
    status: 400,
    message: expect.stringContaining("function call `default_api:read` , position 2."),
  });
  expect(judge(unsigned, user("And now?"))).toMatchObject({ kind: "accepted" });
  expect(judge([{ ...unsigned[0], thoughtSignature: "c2lnbmVk" }, ...unsigned.slice(1)])).toMatchObject({
    message: "Corrupted thought signature.",
  });
  const earlier = { contents: [user("Hi"), { role: "model", parts: unsigned }, results], tools };
  expect(gemini.judge("gemini-2.5-pro", earlier)).toMatchObject({ kind: "accepted" });
});

test("8.4 implicit caching begins at the model's minimum, needs no mark, and ends after five idle minutes", () => {
  const clock = manualClock();
  const gemini = createGemini({ clock });
  const long = user("All work and no play. ".repeat(1_000));
  const read = (...contents: object[]): number => {
    const verdict = gemini.judge(MODEL, { contents });
    return verdict.kind === "accepted" ? verdict.cache.tokensRead : -1;
  };
  expect(read(user("Hi"))).toBe(0);
  expect(read(user("Hi"))).toBe(0);
  expect(read(long)).toBe(0);
  const size = read(long, { role: "model", parts: [{ text: "Yes." }] }, user("More."));
  expect(size).toBeGreaterThan(4_096);
  clock.advance(4 * 60_000);
  expect(read(long, user("Other."))).toBe(size);
  clock.advance(5 * 60_000);
  expect(read(long)).toBe(0);
  const { prices } = geminiModels[MODEL]!;
  const verdict = gemini.judge(MODEL, { contents: [long] });
  expect(verdict).toMatchObject({ kind: "accepted", usage: { cacheReadTokens: size, cacheWriteTokens: 0 } });
  if (verdict.kind === "accepted") expect(verdict.priceUsd).toBeCloseTo((size * prices.input * 0.05) / 1e6, 9);
});

test("8.5 too large a prompt is refused with both numbers", () => {
  const small = { ...geminiModels[MODEL]!, maxInputTokens: 100 };
  const gemini = createGemini({ models: { [MODEL]: small } });
  const verdict = gemini.judge(MODEL, { contents: [user("x".repeat(1_000))] });
  expect(verdict).toMatchObject({
    status: 400,
    message: expect.stringMatching(
      /^The input token count \(\d+\) exceeds the maximum number of tokens allowed \(100\)\.$/,
    ),
    body: { error: { code: 400, status: "INVALID_ARGUMENT" } },
  });
});

test("8.6 thoughts are counted beside the answer, and shown only if asked for", () => {
  const gemini = createGemini({ script: () => think("Let me see.", answer("Four.")) });
  const said = (generationConfig: object) => {
    const answered = gemini.answer(MODEL, { contents: [user("2+2?")], generationConfig });
    return answered.kind === "answered" ? answered.response : undefined;
  };
  const hidden = said({})!;
  expect(hidden.candidates[0]?.content.parts).toEqual([{ text: "Four.", thoughtSignature: expect.any(String) }]);
  expect(hidden.usageMetadata).toMatchObject({ candidatesTokenCount: 2, thoughtsTokenCount: 4 });
  const shown = said({ thinkingConfig: { includeThoughts: true } })!;
  expect(shown.candidates[0]?.content.parts?.[0]).toEqual({ text: "Let me see.", thought: true });
});

test.each([
  [{ words: [], stop: "refusal" } as const, "SAFETY"],
  [
    { words: [{ kind: "tool-call", name: "read", input: {}, rawInput: '{"path": "RE' }] } as const,
    "MALFORMED_FUNCTION_CALL",
  ],
  [answer("x".repeat(1_000)), "MAX_TOKENS"],
  [answer("One. Two."), "STOP"],
])("8.6 a reply %j finishes with %s", (reply, finishReason) => {
  const gemini = createGemini({ script: () => reply });
  const generationConfig = { maxOutputTokens: 50, stopSequences: [" Two"] };
  const answered = gemini.answer(MODEL, { contents: [user("Hi")], tools, generationConfig });
  expect(answered).toMatchObject({ response: { candidates: [{ finishReason }] } });
});

test("8.7 over HTTP: a key, the method in the path, events or an array, and the models", () => {
  const gemini = createGemini();
  const body = JSON.stringify({ contents: [user("Hi")] });
  const send = (path: string, query = "", headers: Record<string, string> = { "x-goog-api-key": "k" }) =>
    gemini.handle({ method: "POST", path: `/v1beta/models/${path}`, query, headers, body });
  expect(send(`${MODEL}:generateContent`)).toMatchObject({ status: 200, outcome: { kind: "answered" } });
  expect(send(`${MODEL}:generateContent`, "key=k", {})).toMatchObject({ status: 200 });
  expect(send(`${MODEL}:generateContent`, "", {})).toMatchObject({ status: 403 });
  expect(send(`${MODEL}:streamGenerateContent`, "alt=sse")).toMatchObject({ kind: "stream" });
  expect(send(`${MODEL}:streamGenerateContent`)).toMatchObject({ kind: "json", body: expect.any(Array) });
  expect(send(`${MODEL}:countTokens`)).toMatchObject({ body: { totalTokens: 5 }, outcome: { kind: "free" } });
  expect(send(`${MODEL}:embedContent`)).toMatchObject({ status: 404 });
  const get = (path: string) => gemini.handle({ method: "GET", path, headers: { "x-goog-api-key": "k" }, body: "" });
  expect(get(`/v1beta/models/${MODEL}`)).toMatchObject({ body: { inputTokenLimit: 1_048_576 } });
  expect(get("/v1beta/models")).toMatchObject({ body: { models: expect.any(Array) } });
  expect(get("/v1beta/models/none")).toMatchObject({ status: 404 });
  expect(get("/v1/models")).toBeUndefined();
  const broken = gemini.handle({
    method: "POST",
    path: `/v1beta/models/${MODEL}:generateContent`,
    headers: { "x-goog-api-key": "k" },
    body: "{",
  });
  expect(broken).toMatchObject({ status: 400 });
});
