import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

const NOTES =
  '<session-notes>\n<notes-section heading="Current state">\nIt is read.\n</notes-section>\n</session-notes>';

/** The main session starts an agent that reads a file four times, which is enough growth for notes. */
const model: Script = ({ userText, request }) => {
  if (userText.includes("<session-notes>")) return answer(NOTES);
  const conversation = JSON.stringify(request["messages"]);
  const results = conversation.split('"tool_result"').length - 1;
  if (conversation.includes("Start the agent")) {
    const prompt = "Look at limit.ts again and again";
    return results === 0
      ? callTools(callTool("Agent", { description: "Look at a file", prompt, way: "foreground" }))
      : answer("The agent is done.");
  }
  return results < 4 ? callTools(callTool("Read", { file_path: "limit.ts" })) : answer("Looked.");
};

test("only the main session keeps notes", async () => {
  const project = temporaryProject({ "limit.ts": "export const limit = 10;\n".repeat(40) });
  const cli = await startCli(project, model);
  const environment = {
    PALIMPSEST_NOTES_ENABLED: "on",
    PALIMPSEST_NOTES_POLICY: "fixed",
    PALIMPSEST_NOTES_FIXED_FIRST_TOKENS: "1",
    PALIMPSEST_NOTES_FIXED_GROWTH_TOKENS: "1",
    PALIMPSEST_NOTES_FIXED_TOOL_CALLS: "1",
  };
  const { out, said } = await cli.run(["-p", "Start the agent", "--mode", "auto"], { environment });
  expect(said).not.toContain("PALIMPSEST_NOTES");
  expect(out).toContain("The agent is done.");
  const updates = sentRequests(cli).filter(({ texts }) => texts.at(-1)!.includes("<session-notes>"));
  expect(updates.length).toBeGreaterThan(0);
  for (const { texts } of updates) expect(texts.join("\n")).toContain("Start the agent");
});
