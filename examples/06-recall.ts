/** What was cleared is not lost: the stub names its entry, and the model has a tool to read it again. */
import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, manualClock, type Script, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, readRecallInput, recalledText, recallTool, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { coding, whenCold } from "palimpsest/policy";

/** Reads six files; after lunch it is asked about the first, finds a stub where that was, and recalls it. */
const script: Script = ({ request, toolResults, turn }) => {
  if (turn < 6) return callTools(callTool("Read", { file_path: `src/part-${turn + 1}.ts` }));
  const stub = /part-1\.ts.*?Recall entry (\d+)/.exec(JSON.stringify(request["messages"]));
  if (stub !== null && toolResults.length === 0) return callTools(callTool("recall", { entry: Number(stub[1]) }));
  return { words: [{ kind: "text", text: toolResults.at(-1)?.text.split("\n")[0] ?? "Done." }] };
};
const clock = manualClock();
const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const session = await openSession({
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  tools: [{ name: "Read", description: "Reads a file.", inputSchema: { type: "object" } }, recallTool],
  // By default the four newest results stay. Here three stay, so that a short session shows a clearing.
  policy: { ...coding(), clear: [whenCold({ keepNewest: 3 })] },
  clock,
});

async function turn(words: string): Promise<void> {
  await session.append(words);
  for (;;) {
    const { text, calls } = await session.record(await client.messages.create(await session.prepare()));
    if (calls.length === 0) console.log(text);
    if (calls.length === 0) return;
    for (const { id, name, input } of calls) {
      const result =
        name === "recall"
          ? recalledText(await session.recall(readRecallInput(input)))
          : `// ${(input as { file_path: string }).file_path}\n${"const x = 1;\n".repeat(1_500)}`;
      await session.append(toolResult(id, result));
    }
  }
}

await turn("Read all six parts.");
const { tokens: before } = session.view.size();
clock.advance(90 * 60_000);
await turn("What stood in the first file?");
console.log(`after lunch the prompt was cold anyway: ${before} tokens before, ${session.view.size().tokens} now`);
await server.close();
