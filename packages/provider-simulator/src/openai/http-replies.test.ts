import { expect, test } from "vitest";
import type { HttpFace } from "../http-face.ts";
import { createOpenAiChat } from "./chat/chat.ts";
import { compatibleProfiles } from "./chat/compatible.ts";
import { createOpenAiResponses } from "./responses/responses.ts";

const send = (face: HttpFace, path: string, headers: Record<string, string>, method = "POST") =>
  face.handle({
    method,
    path,
    headers,
    body: JSON.stringify({ model: "gpt-6.1-sol", input: "Go", messages: [{ role: "user", content: "Go" }] }),
  });

test("OpenAI wants a key on every call that is its own", () => {
  const refused = {
    status: 401,
    body: {
      error: {
        type: "invalid_request_error",
        code: null,
        param: null,
        message: expect.stringMatching(/^You didn't provide an API key\./),
      },
    },
    outcome: { kind: "refused", status: 401 },
  };
  const responses = createOpenAiResponses();
  const chat = createOpenAiChat();
  for (const headers of [{}, { authorization: "" }, { authorization: "Bearer " }] as Record<string, string>[]) {
    expect(send(responses, "/v1/responses", headers)).toMatchObject(refused);
    expect(send(responses, "/v1/responses/input_tokens", headers)).toMatchObject(refused);
    expect(send(responses, "/v1/responses/compact", headers)).toMatchObject(refused);
    expect(send(chat, "/v1/chat/completions", headers)).toMatchObject(refused);
    expect(send(chat, "/v1/models", headers, "GET")).toMatchObject(refused);
    expect(send(chat, "/v1/responses", headers)).toBeUndefined();
    expect(send(responses, "/v1/files", headers, "GET")).toBeUndefined();
  }
  expect(send(chat, "/v1/models", { authorization: "Bearer k" }, "GET")).toMatchObject({ status: 200 });
});

test("a compatible server of one's own wants none", () => {
  const local = createOpenAiChat({ profile: compatibleProfiles["Ollama"] });
  expect(send(local, "/v1/chat/completions", {})).toMatchObject({ status: 200, outcome: { kind: "answered" } });
  expect(send(local, "/v1/models", {}, "GET")).toMatchObject({ status: 200 });
});
