import { answer, callTool, callTools, inOrder } from "@palimpsest/provider-simulator";
import { expect, test, vi } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

vi.setConfig({ testTimeout: 120_000 });

test("try", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(
    project,
    inOrder([
      callTools(callTool("Read", { file_path: "a.txt" }), callTool("Bash", { command: "seq 20" })),
      answer("It says **forty-two**.\n\n- one\n- two\n\n```ts\nconst a = 1; // yes\n```\nDone."),
    ]),
  );
  const screen = await openTmux(cli, { columns: 80, rows: 24 });
  console.log(await screen.see("Ask something"));
  await screen.type("What does a.txt say?");
  console.log(await screen.see("say?"));
  await screen.press("Enter");
  console.log(await screen.see("Run this"));
  await screen.press("Enter");
  console.log(await screen.see("Done.", "esc stops"));
  await screen.type("/hlp");
  await screen.press("Enter");
  console.log(await screen.see("Did you"));
  await screen.press("C-o");
  console.log(await screen.see("Transcript"));
  await screen.press("q");
  console.log(await screen.see("Did you"));
  expect(cli.refused()).toEqual([]);
});
