import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const all = (request: Readonly<Record<string, unknown>>): string => JSON.stringify(request["messages"]);
const isChild = (request: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(request["system"]).includes("agent-message marks");
const start = (name: string, prompt = "look around") =>
  callTool("Agent", { way: "background", prompt, description: "Look around", name });

const script: Script = ({ request, userText }) => {
  if (!isChild(request)) return userText.includes("Begin") ? callTools(start("worker")) : answer("The end.");
  return answer(all(request).includes("come back") ? "Here again." : "Looked.");
};

test("shows what agents did and cost, and resumes a finished agent with a message", async () => {
  const cli = await startCli(temporaryProject(), script);
  expect((await cli.run(["agents"])).code).toBe(2);
  await cli.run(["-p", "Begin"]);
  const { out } = await cli.run(["agents"]);
  expect(out).toMatch(
    /Begin\n└─ worker {2}general, background {2}done {2}1 responses {2}[\d,]+ tokens {2}\$0\.\d{4} {2}\d s(?: {2}|\n +)Look around\n/,
  );
  const { agents } = JSON.parse((await cli.run(["agents", "--json"])).out);
  expect(agents).toMatchObject([{ name: "worker", status: "done", responses: 1 }]);
  expect((await cli.run(["agents", "show", "worker"])).out).toContain("Looked.");
  expect((await cli.run(["agents", "follow", agents[0].id.slice(0, 6)])).out).toContain("look around");
  expect(await cli.run(["agents", "stop", "worker"])).toMatchObject({ code: 1, out: "Agent worker is not running.\n" });
  expect((await cli.run(["agents", "show", "wroker"])).said).toContain("Agents of this session: worker.");

  const woken = await cli.run(["agents", "send", "worker", "come", "back"]);
  expect(woken).toMatchObject({ code: 0, out: expect.stringContaining("Here again.") });
  expect(JSON.parse((await cli.run(["sessions", "cost", "--json"])).out).bySource.agent).toMatchObject({
    responses: 2,
  });
  expect(cli.refused()).toEqual([]);
});

test("lists, messages and stops agents of another running process", async () => {
  const project = temporaryProject();
  const file = (name: string): string => join(project.folder, name);
  const cli = await startCli(project, ({ request, userText }) => {
    if (!isChild(request))
      return userText.includes("Begin") ? callTools(start("worker"), start("stuck", "wait")) : answer("The end.");
    if (all(request).includes("what are you doing right now")) return answer("Waiting for the end");
    if (all(request).includes("hurry")) return answer("I hurried.");
    const isStuck = all(request).includes("wait");
    const command = isStuck ? "touch stuck; sleep 600" : "touch worker; until [ -e go ]; do sleep 0.1; done";
    return callTools(callTool("Bash", { command }));
  });
  const running = cli.start(["-p", "Begin", "--mode", "bypass"]);
  const list = async () => JSON.parse((await cli.run(["agents", "--json"])).out || '{"agents":[]}').agents;
  const busy = { status: "running", doing: expect.stringContaining("Bash touch") };
  // The first view shows no status lines, because agents write them only after a view.
  await expect.poll(() => ["worker", "stuck"].filter((name) => existsSync(file(name)))).toHaveLength(2);
  expect(await list()).toMatchObject([busy, busy]);
  await expect.poll(async () => (await list())[0].doing, { interval: 200 }).toBe("Waiting for the end");
  expect(await cli.run(["agents", "send", "worker", "hurry"])).toMatchObject({ code: 0, out: "Sent.\n" });
  writeFileSync(file("go"), "");
  expect(await cli.run(["agents", "stop", "stuck"])).toMatchObject({ code: 0, out: "Stopped.\n" });
  expect(await running.ended).toMatchObject({ code: 0, out: "The end.\n" });
  expect(await list()).toMatchObject([
    { name: "worker", status: "done" },
    { name: "stuck", status: "stopped" },
  ]);
});
