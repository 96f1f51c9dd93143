/**
 * A chat server to copy: plain Node HTTP over the AI SDK, one session per chat, answers streamed. The browser keeps the whole list of messages
 * and sends it with each question, as chat front ends do. Below the line: a simulated model, and a browser that talks to the server.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsest } from "@palimpsest/ai-sdk";
import { answer, serve, createAnthropic as simulate } from "@palimpsest/provider-simulator";
import { type LanguageModel, type ModelMessage, streamText, wrapLanguageModel } from "ai";
import { sqliteStore } from "palimpsest/sqlite";

interface ChatServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `POST /chats/ID` with the messages so far streams the answer as text. */
async function startChat(
  folder: string,
  upstream: Parameters<typeof wrapLanguageModel>[0]["model"],
): Promise<ChatServer> {
  const context = palimpsest({ store: sqliteStore({ folder }) });
  const model: LanguageModel = wrapLanguageModel({ model: upstream, middleware: context });
  const server: Server = createServer(async (request, response) => {
    const [, chat] = /^\/chats\/([\w-]{1,64})$/.exec(request.url ?? "") ?? [];
    if (request.method !== "POST" || chat === undefined) return void response.writeHead(404).end();
    const messages = (await json(request)) as ModelMessage[];
    // A browser that goes away ends the answer; the session keeps what had arrived.
    const left = new AbortController();
    response.on("close", () => left.abort());
    const providerOptions = { palimpsest: { session: chat } };
    const { textStream } = streamText({ model, messages, providerOptions, abortSignal: left.signal });
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    for await (const part of textStream) response.write(part);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await context.close();
    },
  };
}

// --------------------------------------------------------------------------------------------------------------------
const simulator = await serve({ faces: [simulate({ script: ({ userText }) => answer(`You said: ${userText}`) })] });
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${simulator.url}/v1` });
const folder = mkdtempSync(join(tmpdir(), "chat-server-"));
const messages: ModelMessage[] = [];

for (const content of ["Hello.", "Are you still there?"]) {
  // A new server for each question: the session continues where the server before it stopped.
  const chat = await startChat(folder, anthropic("claude-opus-5-5"));
  messages.push({ role: "user", content });
  const response = await fetch(`${chat.url}/chats/chat-17`, { method: "POST", body: JSON.stringify(messages) });
  const said = await text(response.body!);
  messages.push({ role: "assistant", content: said });
  console.log(response.status, said);
  await chat.close();
}

const sessions = await sqliteStore({ folder }).list({ limit: 10 });
console.log(sessions.sessions.map(({ id }) => id));
const { refused } = simulator.recorder.total();
if (refused > 0 || sessions.sessions.length !== 1)
  throw new Error(`${refused} requests refused, ${sessions.sessions.length} sessions`);
await simulator.close();
rmSync(folder, { recursive: true });
