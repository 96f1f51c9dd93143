import { answer, callTool, callTools, type Reply, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { createStreamCheck } from "../../testing/check-stream.ts";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { backgroundAgents } from "./agents-extension.ts";

type Request = Readonly<Record<string, unknown>>;
const all = (request: Request): string => JSON.stringify(request["messages"]);
const isMate = (request: Request): boolean => JSON.stringify(request["system"]).includes("teammate called tester");
const say = (to: string, message: string, more: object = {}): Reply =>
  callTools(callTool("SendMessage", { to, message, ...more }));
const hire = (more: object = {}): Reply =>
  callTools(
    callTool("Agent", {
      way: "teammate",
      name: "tester",
      description: "Test what comes",
      prompt: "Begin work",
      ...more,
    }),
  );
const reports = (request: Request): number => (all(request).match(/outcome=\\"idle\\"/g) ?? []).length;

test("a teammate does two tasks in one session, and works for the user after its leader has ended", async () => {
  const project = temporaryProject({ "a.ts": "a\n" });
  const script: Script = ({ request, userText, toolResults }) => {
    if (isMate(request)) {
      if (all(request).includes("from the user")) return answer("Heard the user.");
      return answer(all(request).includes("And b.ts") ? "b.ts is fine." : "a.ts is fine.");
    }
    if (userText.includes("Hire")) return hire();
    if (reports(request) === 2) return answer("Both are fine.");
    if (reports(request) === 1 && !all(request).includes("And b.ts")) return say("tester", "And b.ts");
    return answer(toolResults.length > 0 ? "It works." : "Nothing new.");
  };
  const cli = await startCli(project, script);
  const ended = await cli.run(["-p", "Hire a tester", "--output-format", "json"]);
  const { session, text } = JSON.parse(ended.out);
  expect({ code: ended.code, text }).toEqual({ code: 0, text: "Both are fine." });
  // The second task continued the session of the first.
  const [first, second] = sentRequests(cli).filter(({ system }) => system.includes("teammate called tester"));
  expect(second?.texts.join()).toContain("a.ts is fine.");
  expect(second?.texts.slice(0, first?.texts.length)).toEqual(first?.texts);

  const listed = await cli.run(["agents", "--session", session]);
  expect(listed.out).toMatch(/tester +general, teammate +idle +2 responses .*tokens +\$0\.\d+/);
  const woken = await cli.run(["agents", "send", "tester", "from the user", "--session", session]);
  expect({ code: woken.code, said: woken.out }).toMatchObject({
    code: 0,
    said: expect.stringContaining("Heard the user."),
  });
  expect(JSON.parse((await cli.run(["agents", "--json", "--session", session])).out).agents).toMatchObject([
    { name: "tester", way: "teammate", status: "idle", responses: 3 },
  ]);
  expect(cli.refused()).toEqual([]);
});

test("a teammate that needs a plan writes nothing before its leader approves the plan", async () => {
  const project = temporaryProject({ "a.ts": "a\n" });
  const write = callTools(callTool("Write", { file_path: "b.ts", content: "b\n" }));
  const before: boolean[] = [];
  const isWritten = (): boolean => {
    try {
      return project.text("b.ts") === "b\n";
    } catch {
      return false;
    }
  };
  const script: Script = ({ request, userText, toolResults }) => {
    const heard = all(request);
    const last = toolResults.at(-1)?.text ?? "";
    if (isMate(request)) {
      if (last.includes("you can only read")) {
        return say("main", heard.includes("Name the test") ? "Plan two" : "Plan one", {
          kind: "plan_approval_request",
        });
      }
      if (last.includes("Sent to main")) return answer("My plan is with you.");
      return last === "" ? write : answer("Written.");
    }
    if (userText.includes("Hire")) return hire({ plan: "required" });
    const keys = [
      ...new Set([...heard.matchAll(/key=\\"([^"\\]+)\\" kind=\\"plan_approval_request/g)].map(([, key]) => key)),
    ];
    const answered = heard.match(/"plan_approval_response"/g)?.length ?? 0;
    if (keys.length > answered) {
      before.push(isWritten());
      const approve = keys.length === 2;
      const message = approve ? "Good." : "Name the test first.";
      return say("tester", message, { kind: "plan_approval_response", approve, in_reply_to: keys.at(-1) });
    }
    return answer(heard.includes("Written.") ? "All done." : "I wait.");
  };
  const cli = await startCli(project, script);
  const { out, code } = await cli.run([
    "-p",
    "Hire a tester",
    "--mode",
    "accept-edits",
    "--output-format",
    "stream-json",
  ]);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect({ code, text: events.at(-1).text }).toEqual({ code: 0, text: "All done." });
  const changes = events.flatMap(({ event }) => (event?.kind === "agent-changed" ? [event] : []));
  expect(changes[0]).toMatchObject({ name: "tester", way: "teammate", status: "running", plan: "required" });
  expect(new Set(changes.map(({ plan }) => plan))).toEqual(new Set(["required", "asked", "refused", "approved"]));
  expect(changes.at(-1)).toMatchObject({ status: "idle", plan: "approved" });
  expect(createStreamCheck()(events)).toEqual([]);
  expect(before).toEqual([false, false]);
  expect(isWritten()).toBe(true);
  expect(cli.refused()).toEqual([]);
});

test("/tasks lists an idle teammate with its state and cost, and stops it", async () => {
  const stopped: string[] = [];
  const agent = { way: "teammate", goal: "Test what comes", session: "s", entry: 1 } as const;
  const used = { rounds: 2, tokens: 1_200, priceUsd: 0.01 };
  const tasks = backgroundAgents({
    list: () => [
      { ...agent, id: "1", name: "tester", status: "idle", plan: "asked", planKey: "k", used },
      { ...agent, id: "2", name: "writer", status: "running", live: { ...used, phrase: "Writing", elapsedMs: 1 } },
      { ...agent, id: "3", name: "gone", status: "stopped" },
    ],
    async stop(id) {
      stopped.push(id);
      return "stopped";
    },
  });
  expect(tasks).toMatchObject([
    {
      id: "tester",
      state: "idle",
      priceUsd: 0.01,
      progress: expect.stringMatching(/^idle, its plan .*, 2 rounds, 1,200/),
    },
    { id: "writer", state: "runs", progress: "Writing, 2 rounds, 1,200 tokens" },
  ]);
  await tasks[0]!.stop!();
  expect(stopped).toEqual(["1"]);
});
