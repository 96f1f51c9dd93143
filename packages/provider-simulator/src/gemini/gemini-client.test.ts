import { type ApiError, type Content, GoogleGenAI } from "@google/genai";
import { expect, onTestFinished, test } from "vitest";
import { overloaded, overloadedInStream, rateLimited } from "../faults.ts";
import { answer, callTool, callTools, inOrder, type Script, think } from "../script.ts";
import { serve } from "../server.ts";
import { createGemini } from "./gemini.ts";

const model = "gemini-3.8-flash";
const tools = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: { type: "object" } }] }];

async function connect(script: Script) {
  const server = await serve({ faces: [createGemini({ script })] });
  onTestFinished(() => server.close());
  return { client: new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } }), server };
}

test("8.7 a conversation with tools, whole and streamed, with what came sent back as it came", async () => {
  const script = inOrder([
    think("The file will tell.", callTools(callTool("read", { path: "a" }), callTool("read", { path: "b" }))),
    (ask) => answer(`I have read ${ask.toolResults.map(({ text }) => text).join(" and ")}.`),
  ]);
  const { client, server } = await connect(script);
  const contents: Content[] = [{ role: "user", parts: [{ text: "What is in the files?" }] }];
  const called = await client.models.generateContent({ model, contents, config: { tools } });
  expect(called.functionCalls?.map(({ args }) => args)).toEqual([{ path: "a" }, { path: "b" }]);
  contents.push(called.candidates![0]!.content!, {
    role: "user",
    parts: called.functionCalls!.map(({ id, name, args }) => ({
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: name!,
        response: { output: `file ${args!["path"]}` },
      },
    })),
  });
  const pieces: string[] = [];
  let last: string | undefined;
  for await (const chunk of await client.models.generateContentStream({ model, contents, config: { tools } })) {
    pieces.push(chunk.text ?? "");
    last = chunk.candidates?.[0]?.finishReason;
  }
  expect([pieces.join(""), last]).toEqual(["I have read file a and file b.", "STOP"]);
  expect(server.recorder.total()).toMatchObject({ answered: 2, refused: 0 });
});

test("8.7 the client counts, describes models, and tells errors by their status", async () => {
  const { client } = await connect(inOrder([], () => answer("ok")));
  expect((await client.models.countTokens({ model, contents: "Hi" })).totalTokens).toBe(5);
  expect(await client.models.get({ model })).toMatchObject({ inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 });
  const unknown = client.models.generateContent({ model: "gemini-0", contents: "Hi" });
  await expect(unknown).rejects.toMatchObject({ name: "ApiError", status: 404 });
});

test("5 faults arrive as the client expects them", async () => {
  const script = inOrder([
    { ...answer("no"), fault: rateLimited({ retryAfterSeconds: 2 }) },
    { ...answer("no"), fault: overloaded() },
    { ...answer("This will not be heard to its end. ".repeat(9)), fault: overloadedInStream() },
  ]);
  const { client } = await connect(script);
  const ask = async (): Promise<ApiError> => {
    try {
      for await (const _ of await client.models.generateContentStream({ model, contents: "Hi" }));
    } catch (error) {
      return error as ApiError;
    }
    throw new Error("the call did not fail");
  };
  const limited = await ask();
  expect([limited.status, limited.message]).toEqual([429, expect.stringContaining('"retryDelay":"2s"')]);
  expect((await ask()).status).toBe(503);
  expect((await ask()).message).toMatch(/^got status: UNAVAILABLE\./);
});
