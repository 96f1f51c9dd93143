import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("shows instructions that a command changed, and uses them after they are trusted", async () => {
  const project = temporaryProject({ "AGENTS.md": "Of the user." }, "/var/tmp");
  const script: Script = ({ request, userText }) => {
    const isFirst = userText.includes("Change") && !JSON.stringify(request).includes("tool_result");
    return isFirst
      ? callTools(callTool("Bash", { command: "printf 'Of a command.\\033[2J' > AGENTS.md" }))
      : answer("Done.");
  };
  const cli = await startCli(project, script);
  await cli.run(["-p", "Change", "--mode", "auto"]);
  const sent = (): string => JSON.stringify(sentRequests(cli).at(-1));

  expect((await cli.run(["-p", "Hello"])).said).toContain("AGENTS.md does not count: a command has changed it");
  expect(sent()).not.toContain("Of a command.");

  const shown = (await cli.run(["trust"])).out;
  expect(shown).toContain("AGENTS.md. It contains instructions for the model. Its current text:\n  | Of a command.");
  expect(shown).not.toContain("\u001b");
  expect((await cli.run(["trust", "--yes"])).out).toMatch(
    /^Trusted .*AGENTS\.md\. After a change it needs your trust again\./,
  );
  const trusted = await cli.run(["-p", "Hello"]);
  expect(trusted.said).not.toContain("does not count");
  expect(sent()).toContain("Of a command.");
});
