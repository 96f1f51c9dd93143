import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";

const IDLE = "Type a message";

async function open(script: Script, args: readonly string[] = [], engine: object = {}) {
  const project = temporaryProject({}, "/tmp");
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest/engine.json"), JSON.stringify(engine));
  const cli = await startCli(project, script);
  const environment = { PATH: barePath(project) };
  const screen = await openTmux(cli, { columns: 100, rows: 30, args, environment });
  await screen.see(IDLE);
  return { cli, screen };
}

test("a teammate that the user wakes from another terminal reports to the idle session", async () => {
  const script: Script = ({ request, userText }) => {
    const heard = JSON.stringify(request["messages"]);
    if (JSON.stringify(request["system"]).includes("teammate called tester"))
      return answer(heard.includes("Look again") ? "Two faults." : "No faults.");
    if (userText.includes("hire one"))
      return callTools(
        callTool("Agent", { way: "teammate", name: "tester", description: "Find faults", prompt: "Find faults" }),
      );
    if (heard.includes("Two faults.")) return answer("There are two faults now.");
    return answer(heard.includes("No faults.") ? "There are no faults." : "I have hired a tester.");
  };
  const { cli, screen } = await open(script);
  await screen.say("hire one");
  await screen.see("There are no faults.", "esc stops");
  await screen.see(IDLE);
  await screen.say("/tasks");
  await screen.asks("tester: Find faults");
  await screen.see(/idle, 1 rounds, [\d,]+ tokens, \$0\.\d+/);
  await screen.press("Escape");
  await screen.see(IDLE);
  expect(await cli.run(["agents", "send", "tester", "Look again"])).toMatchObject({ code: 0, out: "Sent.\n" });
  await screen.see("There are two faults now.", "esc stops");
  expect(cli.refused()).toEqual([]);
});

const mails: Script = ({ request, userText, toolResults }) => {
  if (toolResults.length > 0) return answer("Sent.");
  if (userText.includes("tell the lead"))
    return callTools(callTool("SendMessage", { to: "lead", message: "The build is red." }));
  return answer(JSON.stringify(request["messages"]).includes("The build is red.") ? "I have read it." : "Ready.");
};

test.for(["off", "on"] as const)(
  "mail of another session is shown at once in an idle terminal; with agents.wakeOnMail %s",
  async (wakeOnMail) => {
    const { cli, screen } = await open(mails, ["--name", "lead"], { "agents.wakeOnMail": wakeOnMail });
    await screen.say("begin");
    await screen.see("Ready.", "esc stops");
    expect((await cli.run(["-p", "tell the lead", "--name", "mate"])).code).toBe(0);
    await screen.see("1 message from mate.");
    if (wakeOnMail === "off") {
      await screen.see("To send one now: /continue");
      expect(await screen.capture()).not.toContain("I have read it.");
      await screen.say("/continue");
    }
    await screen.see("I have read it.", "esc stops");
    expect(cli.refused()).toEqual([]);
  },
);
