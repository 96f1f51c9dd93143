import { BedrockRuntime, type BedrockRuntimeServiceException, type Message } from "@aws-sdk/client-bedrock-runtime";
import { expect, onTestFinished, test } from "vitest";
import { type Fault, overloaded, overloadedInStream, rateLimited, serverError } from "../faults.ts";
import { answer, callTool, callTools, inOrder, type Script, think } from "../script.ts";
import { serve } from "../server.ts";
import { createBedrock } from "./bedrock.ts";

const modelId = "us.anthropic.claude-haiku-5-5";
const toolConfig = { tools: [{ toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } }] };
const messages: Message[] = [{ role: "user", content: [{ text: "What is in the files?" }] }];

async function connect(script: Script, options: object = {}) {
  const server = await serve({ faces: [createBedrock({ script })] });
  onTestFinished(() => server.close());
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "none" };
  const client = new BedrockRuntime({
    region: "us-east-1",
    endpoint: server.url,
    credentials,
    maxAttempts: 1,
    ...options,
  });
  onTestFinished(() => client.destroy());
  return { client, server };
}

test.each([
  ["signed", {}],
  ["with an API key", { token: { token: "key" }, authSchemePreference: ["httpBearerAuth"] }],
])("9.7 a conversation with tools, whole and streamed, over HTTP/2, %s", async (_, options) => {
  const script = inOrder([
    think("The file will tell.", callTools(callTool("read", { path: "a" }), callTool("read", { path: "b" }))),
    (ask) => answer(`I have read ${ask.toolResults.map(({ text }) => text).join(" and ")}. ${ask.provider}`),
  ]);
  const { client, server } = await connect(script, options);
  const additionalModelRequestFields = { thinking: { type: "adaptive" } };
  const called = await client.converse({ modelId, messages, toolConfig, additionalModelRequestFields });
  const { content = [] } = called.output!.message!;
  expect(content.flatMap(({ toolUse }) => (toolUse ? [toolUse.input] : []))).toEqual([{ path: "a" }, { path: "b" }]);
  const results = content.flatMap(({ toolUse }) =>
    toolUse
      ? [
          {
            toolResult: {
              toolUseId: toolUse.toolUseId,
              content: [{ text: `file ${(toolUse.input as { path: string }).path}` }],
            },
          },
        ]
      : [],
  );
  const { stream, $metadata } = await client.converseStream({
    modelId,
    toolConfig,
    additionalModelRequestFields,
    messages: [...messages, called.output!.message!, { role: "user", content: results }],
  });
  const events: object[] = [];
  let said = "";
  for await (const event of stream!) {
    events.push(event);
    said += event.contentBlockDelta?.delta?.text ?? "";
  }
  expect(said).toBe("I have read file a and file b. bedrock");
  expect(events.map((event) => Object.keys(event)[0])).toEqual([
    ...["messageStart", "contentBlockDelta", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"],
  ]);
  expect(events.at(-1)).toMatchObject({
    metadata: { usage: { cacheReadInputTokens: 0 }, metrics: { latencyMs: 100 } },
  });
  expect($metadata.requestId).toMatch(/^[0-9a-f]{8}-/);
  expect(server.recorder.total()).toMatchObject({ answered: 2, refused: 0 });
  expect(server.recorder.last).toMatchObject({
    path: `/model/${modelId}/converse-stream`,
    headers: { host: expect.any(String) },
  });
});

test("9.7 over HTTP/1.1, the same bytes", async () => {
  const { server } = await connect(() => answer("ok"));
  const headers = { authorization: "Bearer key" };
  const body = JSON.stringify({ messages });
  const response = await fetch(`${server.url}/model/${modelId}/converse-stream`, { method: "POST", headers, body });
  expect(response.headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(bytes.readUInt32BE(0)).toString("latin1")).toContain(":event-type");
  expect(bytes.toString("latin1")).toMatch(/:event-type.{3}messageStart.*:message-type.{3}event.*"role":"assistant"/s);
});

test("9.7 the client counts, and tells errors by their names", async () => {
  const { client } = await connect(() => answer("ok"));
  const input = { converse: { messages, toolConfig } };
  expect((await client.countTokens({ modelId: "anthropic.claude-haiku-5-5", input })).inputTokens).toBeGreaterThan(5);
  await expect(client.converse({ modelId: "us.anthropic.claude-0", messages })).rejects.toMatchObject({
    name: "ValidationException",
    message: "The provided model identifier is invalid.",
    $metadata: { httpStatusCode: 400 },
  });
});

const failing = (kind: "server-error" | "timeout"): Fault => ({
  kind: "stream-error",
  afterEvents: 2,
  failure: { kind },
});

test.each([
  [rateLimited({ retryAfterSeconds: 2 }), "ThrottlingException", "Too many tokens, please wait before trying again."],
  [overloaded(), "ServiceUnavailableException", "Too many connections, please wait before trying again."],
  [serverError(), "InternalServerException", "The system encountered an unexpected error"],
  [overloadedInStream(), "ServiceUnavailableException", "Too many connections"],
  [failing("server-error"), "InternalServerException", "The system encountered"],
  [failing("timeout"), "ModelStreamErrorException", "Model has timed out"],
])("5 the fault %j arrives as %s", async (fault, name, message) => {
  const { client } = await connect(() => ({ ...answer("This will not be heard to its end. ".repeat(9)), fault }));
  const ask = async (): Promise<BedrockRuntimeServiceException> => {
    try {
      for await (const _ of (await client.converseStream({ modelId, messages })).stream!);
    } catch (error) {
      return error as BedrockRuntimeServiceException;
    }
    throw new Error("the call did not fail");
  };
  const error = await ask();
  expect([error.name, error.message]).toEqual([name, expect.stringContaining(message)]);
});
