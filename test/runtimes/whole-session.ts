import { memoryStore, openSession, query, tool, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { answer, fakeClient } from "./fake-client.ts";

/** What came of the session, as plain data: it crosses the border of the runtime that it ran in. */
export interface WholeSession {
  readonly largeResult: "stored" | "whole";
  readonly recalled: string;
  readonly compacted: string;
  readonly resumedFrom: "summary" | "messages";
  readonly answer: string;
}

const MODEL = "claude-opus-5-5";
const READ = { name: "Read", description: "Reads a file.", inputSchema: { type: "object" } };

/** A session from its first message to its resumption, with nothing but what every web runtime has. */
export async function runWholeSession(): Promise<WholeSession> {
  const provider = anthropic(fakeClient("All is well."));
  // This model says the same to everything, so there is no summary: the parts stand alone.
  const options = { store: memoryStore(), provider, model: MODEL };
  const session = await openSession({ ...options, system: "You are brief.", tools: [READ] });
  await session.append("Read the log of the service and say what went wrong.");
  await session.record(answer(await session.prepare(), { callId: "call_1", tool: "Read" }));
  const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line}: answered in ${line % 97} ms`);
  const [result = 0] = await session.append(toolResult("call_1", lines.join("\n")));
  const request = await session.prepare();
  const recalled = await session.recall({ entry: result, search: "line 19876:" });
  await session.record(answer(request, { text: "Nothing went wrong." }));
  for (let round = 1; round <= 8; round++) {
    await session.append(`Question ${round}: ${"is that so? ".repeat(200)}`);
    const text = `Answer ${round}: ${"it is. ".repeat(2_000)}`;
    await session.record(answer(await session.prepare(), { text }));
  }
  const compacted = await session.compact();
  await session.close();

  const resumed = await openSession({ ...options, id: session.id });
  const resumedRequest = await resumed.append("And now?").then(() => resumed.prepare());
  const lookAgain = tool({
    name: "Look",
    description: "Looks again.",
    inputSchema: { type: "object" },
    execute: () => "Fine.",
  });
  let said = "";
  for await (const event of query(resumed, { tools: [lookAgain] })) {
    if (event.kind === "text") said += event.text;
  }
  await resumed.close();
  return {
    largeResult: JSON.stringify(request).length < lines.join("\n").length / 2 ? "stored" : "whole",
    recalled: JSON.stringify(recalled),
    compacted: compacted.kind === "compacted" ? compacted.summary.way : JSON.stringify(compacted),
    resumedFrom: JSON.stringify(resumedRequest).includes("Answer 2: ") ? "messages" : "summary",
    answer: said,
  };
}
