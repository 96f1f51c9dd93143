/**
 * Writes the golden log, and its requests by the entry that they were made at:
 * `node --conditions=palimpsest-source test/logs/write-sample.ts`. It replaces both files: run it only to change the log format
 * on purpose, and review each line that differs.
 */
import { writeFileSync } from "node:fs";
import { callTool, callTools, createAnthropic, inOrder, think } from "@palimpsest/provider-simulator";
import { attachment, commandOutput, memoryStore, notice, openSession, toolResult, user } from "palimpsest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "palimpsest/anthropic";

const twoCalls = callTools(callTool("look", { at: "door" }), callTool("look", { at: "window" }));
const face = createAnthropic({ script: inOrder([think("Two places.", twoCalls), twoCalls]) });
const tools = [{ name: "look", description: "Looks at something.", inputSchema: { type: "object" } }];
const clock = { now: () => 1_700_000_000_000 };
// Everything is judged in this process: the client is never called.
const provider = anthropic({} as never, { cacheDiagnostics: "asked" });
const session = await openSession({
  id: "sample",
  store: memoryStore({ clock }),
  provider,
  model: "claude-opus-5-5",
  system: "Be brief.",
  tools,
  clock,
});

const requests: Record<number, AnthropicRequest> = {};
async function round(): Promise<readonly string[]> {
  const request = await session.prepare();
  requests[session.history.newestEntry] = request;
  const answered = face.answer(request);
  if (answered.kind === "refused") throw new Error(answered.message);
  return (await session.record(answered.response as unknown as AnthropicResponse)).calls.map(({ id }) => id);
}

const [question] = await session.append([
  "What is at the door?",
  attachment("rule", "Look twice.", { kind: "host" }),
  notice("thinking"),
]);
const [door, window] = await round();
const [seen] = await session.append([
  toolResult(door!, "A cat. \u{1F408}"),
  toolResult(window!, [{ kind: "text", text: "Rain \ud800" }], "error"),
]);
await round();
await session.append(["Never mind the window.", commandOutput("total 0")]);
await session.history.replace(
  { from: seen!, to: seen! },
  [
    {
      role: "user",
      origin: "host",
      blocks: [{ kind: "tool_result", callId: door!, content: "(cleared)", status: "ok" }],
    },
  ],
  "cleared",
);
await round();
const wrongTurn = session.history.newestEntry;
await session.append("No, something else.");
await session.history.rewind(wrongTurn, "a wrong turn");
await session.configure({ system: "Be kind.", parameters: { thinking: { type: "adaptive" } } });
const summary = {
  role: "user",
  origin: "summary",
  blocks: [{ kind: "text", text: "Earlier: a cat at the door." }],
} as const;
const folded = await session.history.fold({ from: question!, to: wrongTurn }, [summary], "summarised");
await session.history.restore(folded);
const kept = await session.append([
  user([{ kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } }]),
  "And now?",
]);
await session.history.fold({ from: question!, to: kept[0]! - 1 }, [summary], "summarised");
await round();

writeFileSync(
  "test/logs/all-kinds.jsonl",
  (await Array.fromAsync(session.history.export())).map((line) => `${line}\n`).join(""),
);
writeFileSync("test/logs/all-kinds.requests.json", `${JSON.stringify(requests, undefined, 1)}\n`);
