import { memoryStore, openSession, toolResult, user } from "palimpsest";
import { expect, test } from "vitest";
import { offline } from "../../commands/connect.ts";
import { describeEvidence } from "./memory-text.ts";

test("each quote says who said it, and where; a session that is gone leaves only the quote", async () => {
  const store = memoryStore();
  const provider = await offline("anthropic");
  const session = await openSession({ id: "a1b2c3d4-long", store, provider, model: "claude-sonnet-5-5" });
  await session.append([
    user("Use tabs."),
    { role: "assistant", origin: "model", blocks: [{ kind: "tool_call", id: "c", name: "Read", input: {} }] },
    toolResult("c", "Use spaces."),
  ]);
  const newest = session.history.newestEntry;
  const at = (entry: number, quote: string, id: string = session.id) => ({ session: id, entry, quote });
  const evidence = [at(newest - 2, "Use tabs."), at(newest, "Use spaces."), at(4, "Use both.", "gone")];
  expect(await describeEvidence(evidence, store)).toEqual([
    `You said (session a1b2c3d4, entry ${newest - 2}): "Use tabs."`,
    `A tool or a file said (session a1b2c3d4, entry ${newest}): "Use spaces."`,
    'Quoted (session gone, entry 4): "Use both."',
  ]);
  expect(await describeEvidence([], store)).toEqual(["Evidence: none. Nobody's words are quoted."]);
  await session.close();
});
