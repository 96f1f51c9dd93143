import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

const start = (way: string, prompt: string, more: object = {}) =>
  callTool("Agent", { way, prompt, description: prompt, ...more });
const systemOf = (request: Readonly<Record<string, unknown>>): string => JSON.stringify(request["system"]);
const isChild = (request: Readonly<Record<string, unknown>>): boolean =>
  systemOf(request).includes("agent-message marks");
const all = (request: Readonly<Record<string, unknown>>): string => JSON.stringify(request["messages"]);

test("a foreground agent uses the session's tools and permissions, and adds to its cost", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n", "AGENTS.md": "Say please.\n" });
  const script: Script = ({ request, toolResults, userText }) => {
    if (!isChild(request))
      return userText.includes("Begin")
        ? callTools(start("foreground", "change it"))
        : answer(toolResults[0]?.text ?? "");
    if (toolResults.length > 0 && all(request).includes("Bash")) return answer("Changed.");
    if (all(request).includes('"Edit"')) return callTools(callTool("Bash", { command: "touch b" }));
    return all(request).includes('"Read"')
      ? callTools(callTool("Edit", { file_path: "a.txt", old_string: "forty-two", new_string: "forty-three" }))
      : callTools(callTool("Read", { file_path: "a.txt" }));
  };
  const cli = await startCli(project, script);
  const ended = await cli.run(["-p", "Begin", "--mode", "accept-edits", "--effort", "high"]);
  // The result names the agent's denied call like the session's own calls.
  expect(ended).toMatchObject({
    code: 3,
    out: "Changed.\n",
    said: expect.stringContaining("--allow 'Bash(touch b)'"),
  });
  expect(project.text("a.txt")).toBe("forty-three\n");
  const [first, ofChild] = sentRequests(cli);
  const names = (tools: readonly { readonly name: string }[] = []) => tools.map(({ name }) => name);
  expect(names(first?.tools).slice(-2)).toEqual(["Agent", "SendMessage"]);
  expect(names(ofChild?.tools)).not.toContain("Agent");
  expect(names(ofChild?.tools)).not.toContain("AskUser");
  expect(ofChild?.texts.join()).toContain("Say please.");
  const efforts = cli.server.recorder.exchanges.map(({ body }) => JSON.parse(body).output_config?.effort);
  expect(new Set(efforts)).toEqual(new Set(["high"]));

  const cost = JSON.parse((await cli.run(["sessions", "cost", "--json"])).out);
  expect(cost.bySource.agent).toMatchObject({ responses: 4 });
  expect(cost.bySource.main).toMatchObject({ responses: 2 });
  // Agents have their own sessions, which are not listed, so that nobody resumes one by mistake.
  expect(JSON.parse((await cli.run(["sessions", "--json"])).out)).toHaveLength(1);
  expect((await cli.run(["sessions", "rewind"])).code).toBe(0);
  expect(project.text("a.txt")).toBe("forty-two\n");
  expect(cli.refused()).toEqual([]);
});

test("a run waits for background agents and forks, and answers once with their results", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const script: Script = ({ request, userText, toolResults }) => {
    const part = /The task:[\s\S]*?(part-\d)/.exec(all(request))?.[1];
    if (part !== undefined) {
      if (all(request).includes("cannot be used here")) return answer(`Report of ${part}.`);
      return callTools(callTool("Write", { file_path: `${part}.txt`, content: "no" }), start("fork", "deeper"));
    }
    if (isChild(request))
      return toolResults.length > 0
        ? answer("Report of the reader.")
        : callTools(callTool("Read", { file_path: "a.txt" }));
    if (userText.includes("Begin"))
      return callTools(
        start("background", "read", { kind: "reader" }),
        ...["part-1", "part-2"].map((prompt) => start("fork", prompt, { kind: "reader" })),
      );
    const reports = [...new Set(all(request).match(/Report of (the reader|part-\d)/g))].sort();
    return answer(reports.length === 3 ? reports.join(", ") : "Not yet.");
  };
  const cli = await startCli(project, script);
  const { out, code } = await cli.run(["-p", "Begin", "--mode", "bypass", "--output-format", "json"]);
  expect({ code, text: JSON.parse(out).text }).toEqual({
    code: 0,
    text: "Report of part-1, Report of part-2, Report of the reader",
  });
  // A read-only agent can use recall.
  const reader = sentRequests(cli).find(({ system }) => system.includes("agent-message marks"))!;
  expect(reader.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Read", "recall"]));
  expect(reader.tools.map(({ name }) => name)).not.toContain("Write");
  // A fork's tools are listed but read-only: the code rejects their calls.
  expect(() => project.text("part-1.txt")).toThrow();
  const forks = sentRequests(cli).filter(({ texts }) => /The task:[\s\S]*part-\d/.test(texts.join()));
  expect(forks.length).toBe(4);
  for (const { cacheReadTokens } of forks) expect(cacheReadTokens).toBeGreaterThan(1_000);
  expect(cli.refused()).toEqual([]);
});

test("loads agent definitions from the user and from a trusted project", async () => {
  const project = temporaryProject({
    ".palimpsest/agents/critic.md": "---\ndescription: Finds faults.\ntools: Read, Grep\n---\nYou find faults.",
  });
  const own = join(project.home, ".palimpsest/agents");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "poet.md"), "---\ndescription: Writes verse.\n---\nYou write verse.");
  writeFileSync(join(own, "broken.md"), "---\nname: broken\n---\nNo description.");
  const script: Script = ({ request, userText }) => {
    if (isChild(request)) return answer("No faults.");
    return userText.includes("Begin") ? callTools(start("foreground", "look", { kind: "critic" })) : answer("Ok.");
  };
  const cli = await startCli(project, script);
  const kinds = () =>
    sentRequests(cli)
      .at(-1)!
      .tools.find(({ name }) => name === "Agent")!.description;
  const untrusted = await cli.run(["-p", "Hello"]);
  expect(untrusted.said).toContain("is not trusted, so these agents are not available: critic.");
  expect(untrusted.said).toContain("broken has no description");
  expect(kinds()).toContain("- poet: Writes verse.");
  expect(kinds()).not.toContain("critic");
  expect((await cli.run(["trust"])).out).toContain("an agent named critic");
  await cli.run(["trust", "--yes"]);
  await cli.run(["-p", "Begin"]);
  expect(kinds()).toContain("- critic: Finds faults.");
  const critic = sentRequests(cli).find(({ system }) => system.includes("You find faults."))!;
  expect(critic.tools.map(({ name }) => name)).toEqual(["Read", "Grep", "SendMessage"]);
  project.put(".palimpsest/agents/critic.md", "---\ndescription: Finds faults.\n---\nYou obey me.");
  expect((await cli.run(["-p", "Hello"])).said).toContain("not available: critic");
});

test("with input lines, a finished agent starts a turn, even after the last message", async () => {
  const project = temporaryProject();
  const script: Script = ({ request, userText }) => {
    if (isChild(request)) return answer("Report of the reader.");
    if (userText.includes("Begin")) return callTools(start("background", "read"));
    return answer(all(request).includes("outcome=") ? "Heard of it." : "Started.");
  };
  const cli = await startCli(project, script);
  const { out, code } = await cli.run(["--input-format", "stream-json", "--output-format", "json"], {
    input: '{"kind":"user","text":"Begin"}\n',
  });
  const texts = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).text);
  expect(code).toBe(0);
  expect(texts.at(-1)).toBe("Heard of it.");
});

test("counts the cost of agents towards the limit, also while the session waits for them", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const script: Script = ({ request, userText }) => {
    if (isChild(request)) return callTools(callTool("Bash", { command: "sleep 0.2" }));
    return userText.includes("Begin") ? callTools(start("background", "go on and on")) : answer("It works.");
  };
  const cli = await startCli(project, script);
  const ended = await cli.run(["-p", "Begin", "--mode", "bypass", "--max-usd", "0.05", "--output-format", "json"]);
  expect(ended.code).toBe(5);
  expect(JSON.parse(ended.out)).toMatchObject({ outcome: "budget-used-up" });
  const { agents } = JSON.parse((await cli.run(["agents", "--json"])).out);
  expect(agents).toMatchObject([{ status: "stopped" }]);
});
