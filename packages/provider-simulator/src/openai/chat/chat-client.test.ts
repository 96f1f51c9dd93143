import type OpenAI from "openai";
import { APIConnectionError, APIError, BadRequestError, InternalServerError } from "openai";

import { describe, expect, it } from "vitest";
import { manualClock } from "../../clock.ts";
import { cutStream, overloadedInStream, resetConnection, responseFailed } from "../../faults.ts";
import { answer, callTool, callTools, inOrder } from "../../script.ts";
import { createOpenAiResponses } from "../responses/responses.ts";
import { connectOpenAi, failure, withFault } from "../testing/connect-openai.ts";
import { createOpenAiChat, type OpenAiChatOptions } from "./chat.ts";
import { compatibleProfiles } from "./compatible.ts";
import { serving } from "./compatible-profile.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;

const model = "gpt-6.1-sol";
const messages: Message[] = [{ role: "user", content: "Hello" }];
const tools: OpenAI.Chat.ChatCompletionTool[] = [
  {
    type: "function",
    function: { name: "read", parameters: { type: "object", properties: { path: { type: "string" } } } },
  },
];

function connect(options: OpenAiChatOptions = {}) {
  const clock = manualClock(1_790_000_000_000);
  return connectOpenAi(createOpenAiResponses({ clock }), createOpenAiChat({ clock, ...options }));
}

async function chunks(client: OpenAI, request: Partial<OpenAI.Chat.ChatCompletionCreateParamsStreaming> = {}) {
  const received: OpenAI.Chat.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true, ...request }))
    received.push(chunk);
  return received;
}

describe("7.1 Chat Completions with the real client", () => {
  it("7.1 answers", async () => {
    const { client, server } = await connect();
    const completion = await client.chat.completions.create({ model, messages });
    expect(completion).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { content: "You said: Hello" }, finish_reason: "stop" }],
    });
    expect(completion.usage!.total_tokens).toBe(completion.usage!.prompt_tokens + completion.usage!.completion_tokens);
    expect(server.recorder.last!.outcome).toMatchObject({ kind: "answered", responseId: completion.id });
  });

  it("7.1 makes a round trip with tools", async () => {
    const script = inOrder([
      callTools(callTool("read", { path: "a" }), callTool("read", { path: "b" })),
      (ask) => answer(ask.toolResults.map(({ text }) => text).join("+")),
    ]);
    const { client } = await connect({ script });
    const { message } = (await client.chat.completions.create({ model, messages, tools })).choices[0]!;
    const results = message.tool_calls!.map(
      ({ id }, index): Message => ({ role: "tool", tool_call_id: id, content: `result ${index}` }),
    );
    const second = await client.chat.completions.create({ model, messages: [...messages, message, ...results], tools });
    expect(second.choices[0]!.message.content).toBe("result 0+result 1");
  });

  it("7.1 streams chunks, and usage in a last one without choices if asked to", async () => {
    const { client } = await connect({ script: () => answer("Text in several pieces, since it is long.") });
    const plain = await chunks(client);
    expect(plain.map((chunk) => chunk.choices[0]!.delta.content ?? "").join("")).toBe(
      "Text in several pieces, since it is long.",
    );
    expect(plain.at(-1)!.choices[0]!.finish_reason).toBe("stop");
    expect(plain.every((chunk) => chunk.usage === undefined)).toBe(true);

    const counted = await chunks(client, { stream_options: { include_usage: true } });
    expect(counted.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it("7.1 streams calls that the client's own helper puts together", async () => {
    const { client } = await connect({
      script: () => callTools(callTool("read", { path: "a/long/path/to/some/file.ts" }), callTool("read", {})),
    });
    const completion = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        tool_calls: [
          { function: { arguments: '{"path":"a/long/path/to/some/file.ts"}' } },
          { function: { name: "read" } },
        ],
      },
    });
  });

  it("7.1 lets the client run its tool loop", async () => {
    const script = inOrder([
      callTools(callTool("read", { path: "a" })),
      (ask) => answer(`Got ${ask.toolResults[0]?.text}.`),
    ]);
    const { client } = await connect({ script });
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: "function",
          function: {
            name: "read",
            parameters: { type: "object" },
            description: "Reads a file.",
            function: (_: string) => "the file",
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Got the file.");
  });
});

describe("7.4 chat errors with the real client", () => {
  it("7.4 a refusal is a BadRequestError with its code", async () => {
    const { client } = await connect();
    const error = await failure(
      client.chat.completions.create({ model, messages: [{ role: "tool", tool_call_id: "x", content: "" }] }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      param: "messages.[0].role",
      message: expect.stringContaining("preceeding message with 'tool_calls'"),
    });
  });

  it("7.4 a chunk with an error in it ends the stream", async () => {
    const { client } = await connect({ script: withFault(overloadedInStream(2)) });
    const error = await failure(chunks(client));
    expect(error).toMatchObject({
      status: undefined,
      code: "server_is_overloaded",
      message: expect.stringContaining("overloaded"),
    });
  });

  it("7.4 a stream can end early, and the client does not complain", async () => {
    const { client } = await connect({ script: withFault(cutStream(2)) });
    const received = await chunks(client);
    expect(received).toHaveLength(2);
    expect(received.at(-1)!.choices[0]!.finish_reason).toBeNull();
  });

  it("7.4 a failed response is a server error here, a reset a connection error", async () => {
    const failing = await connect({ script: withFault(responseFailed()) });
    expect(await failure(failing.client.chat.completions.create({ model, messages }))).toBeInstanceOf(
      InternalServerError,
    );
    const resetting = await connect({ script: withFault(resetConnection()) });
    expect(await failure(resetting.client.chat.completions.create({ model, messages }))).toBeInstanceOf(
      APIConnectionError,
    );
    expect(await failure(chunks(resetting.client))).toBeInstanceOf(APIConnectionError);
  });

  it("7.4 a body that is no JSON is refused as such", async () => {
    const { server } = await connect();
    const headers = { authorization: "Bearer k" };
    const reply = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", headers, body: "{" });
    expect(reply.status).toBe(400);
  });
});

describe("7.5 compatible servers with the real client", () => {
  const models = { local: { id: "local", ...serving(100) } };
  const overflowing = { model: "local", messages: [{ role: "user" as const, content: "word ".repeat(300) }] };

  it("7.5 Cerebras has no body, and the client says so", async () => {
    for (const [server, status] of [
      ["Cerebras", 400],
      ["Cerebras status 413", 413],
    ] as const) {
      const { client } = await connect({ profile: compatibleProfiles[server], models });
      const error = await failure(client.chat.completions.create(overflowing));
      expect(error).toMatchObject({ status, message: `${status} status code (no body)` });
    }
  });

  it("7.5 llama.cpp gives both numbers", async () => {
    const { client } = await connect({ profile: compatibleProfiles["llama.cpp"], models });
    const error = await failure(client.chat.completions.create(overflowing));
    expect(error).toMatchObject({
      type: "exceed_context_size_error",
      error: { n_ctx: 100, n_prompt_tokens: expect.any(Number) },
    });
  });

  it("7.5 every server answers a small request and does something definite with a large one", async () => {
    for (const profile of Object.values(compatibleProfiles)) {
      const { client } = await connect({ profile, models });
      const small = await client.chat.completions.create({ model: "local", messages });
      expect(small.choices[0]!.finish_reason).toBe("stop");
      const large = await client.chat.completions.create(overflowing).then(
        () => "answered",
        (error: unknown) => error,
      );
      expect(large === "answered" || large instanceof APIError).toBe(true);
    }
  });
});
