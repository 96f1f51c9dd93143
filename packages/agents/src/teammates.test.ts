import { answer, callTool, callTools, type Reply, type Script } from "@palimpsest/provider-simulator";
import { createHooks } from "palimpsest/hooks";
import { describe, expect, test } from "vitest";
import { openTeam } from "./testing/open-team.ts";

type Request = Readonly<Record<string, unknown>>;
const all = (request: Request): string => JSON.stringify(request["messages"]);
const isMain = (request: Request): boolean => JSON.stringify(request["system"]).includes("You lead.");
const nameOf = (request: Request): string => /teammate called (\w+)/.exec(JSON.stringify(request["system"]))?.[1] ?? "";
const say = (to: string, message: string, more: object = {}): Reply =>
  callTools(callTool("SendMessage", { to, message, ...more }));
const mate = { prompt: "p", description: "d", way: "teammate", name: "tester" } as const;

describe("a teammate", () => {
  const script: Script = ({ request }) => {
    if (isMain(request)) return answer("Ok.");
    return answer(all(request).includes("Test b.ts") ? "b.ts is fine." : "a.ts is fine.");
  };

  test("reports after each turn, is idle in between, and a message wakes it in the same session", async () => {
    const { agents, session } = await openTeam({ script });
    const states: string[] = [];
    session.events.listen((event) => event.kind === "agent-changed" && states.push(`${event.name} ${event.status}`));
    expect(await agents.start(mate)).toMatchObject({ kind: "started", id: "a1" });
    expect(await agents.idle()).toBe("waiting");
    await agents.inbox.deliver(session);
    expect(agents.list()).toMatchObject([{ name: "tester", way: "teammate", status: "idle" }]);
    expect(session.view.attached("agent-result")[0]).toBe(
      '<agent-result id="a1" name="tester" outcome="idle">\na.ts is fine.\n</agent-result>',
    );
    // Nothing waits for one that is idle.
    expect(await agents.idle()).toBe("nothing-runs");
    expect(await agents.send("tester", "Test b.ts")).toMatchObject({ woken: ["tester"] });
    expect(agents.list()).toMatchObject([{ status: "running" }]);
    await agents.idle();
    await agents.inbox.deliver(session);
    expect(session.view.attached("agent-result").at(-1)).toContain("b.ts is fine.");
    expect(agents.list()).toMatchObject([{ status: "idle", used: { rounds: 1 } }]);
    expect(states).toEqual(["tester running", "tester idle", "tester running", "tester idle"]);
    await agents.close();
  });

  test("is idle still for the next process, and goes on there from its log", async () => {
    const first = await openTeam({ script });
    await first.agents.start(mate);
    await first.agents.idle();
    await first.agents.inbox.deliver(first.session);
    await first.agents.close();
    await first.session.close();
    const second = await openTeam({ script, store: first.store });
    expect(second.agents.list()).toMatchObject([{ name: "tester", status: "idle" }]);
    await second.agents.send("tester", "Test b.ts");
    expect(second.session.background.agents()[0]!.resumedAfter).toBeGreaterThan(0);
    await second.agents.idle();
    await second.agents.inbox.deliver(second.session);
    expect(second.session.view.attached("agent-result").at(-1)).toContain("b.ts is fine.");
    expect(second.sent.filter((body) => body.includes("Test b.ts"))[0]).toContain("a.ts is fine.");
  });

  test("that was woken just before the program died is told as stopped, and not with its old report", async () => {
    const first = await openTeam({ script });
    await first.agents.start(mate);
    await first.agents.idle();
    await first.agents.inbox.deliver(first.session);
    // What waking it writes into the log of its leader; the program dies before the message is in its own.
    const head = await (await first.store.openReader(first.agents.list()[0]!.session))!.head();
    await first.session.background.enterAgent({ id: "a1", step: "resumed", after: head.sequence });
    await first.session.close();
    const second = await openTeam({ script, store: first.store });
    expect(await second.agents.inbox.deliver(second.session)).toBe(1);
    const told = second.session.view.attached("agent-result").at(-1);
    expect(told).toContain('outcome="stopped"');
    expect(told).toContain("send it again");
    expect(told).not.toContain("a.ts is fine.");
  });

  test("can be stopped while it is idle; then only its leader wakes it", async () => {
    const asks: Script = ({ request, toolResults }) => {
      if (nameOf(request) !== "other") return answer("Ok.");
      return toolResults.length > 0 ? answer(toolResults[0]!.text) : say("tester", "Are you there?");
    };
    const { agents, session } = await openTeam({ script: asks });
    await agents.start(mate);
    await agents.drain(60_000);
    expect(await agents.stop("a1")).toBe("stopped");
    expect(await agents.stop("a1")).toBe("not-running");
    expect(agents.list()).toMatchObject([{ status: "stopped" }]);
    await agents.start({ ...mate, name: "other" });
    await agents.drain(60_000);
    await agents.inbox.deliver(session);
    expect(session.view.attached("agent-result").at(-1)).toContain("Only main can make it continue");
    expect(await agents.send("tester", "Go on.")).toMatchObject({ woken: ["tester"] });
    await agents.drain(60_000);
  });

  test("is woken by another teammate, who is named as the sender", async () => {
    const talk: Script = ({ request, toolResults }) => {
      const heard = all(request);
      if (nameOf(request) === "writer")
        return toolResults.length > 0 ? answer("Asked.") : say("tester", "Look at c.ts");
      return answer(/from=\\"writer\\"[^>]*>\\nLook at c.ts/.test(heard) ? "c.ts is fine." : "Ready.");
    };
    const { agents, session } = await openTeam({ script: talk });
    await agents.start(mate);
    await agents.drain(60_000);
    await agents.inbox.deliver(session);
    await agents.start({ ...mate, name: "writer" });
    while ((await agents.idle()) === "waiting") await agents.inbox.deliver(session);
    expect(session.view.attached("agent-result").join()).toContain("c.ts is fine.");
    expect(await agents.send("*", "Thanks.")).toMatchObject({ to: ["tester", "writer"] });
    await agents.drain(60_000);
  });

  test("loses no message that comes after its last look for messages", async () => {
    const late: (() => Promise<unknown>)[] = [];
    // Its turn is over when this runs, and it is still among those that run.
    const hooks = createHooks([{ event: "SubagentStop", run: async () => void (await late.shift()?.()) }]);
    const script: Script = ({ request }) => answer(`Heard ${new Set(all(request).match(/late-\d/g)).size}.`);
    const { agents, session } = await openTeam({ hooks, script });
    late.push(async () => {
      for (const text of ["late-1", "late-2"]) expect(await agents.send("tester", text)).toMatchObject({ woken: [] });
    });
    await agents.start(mate);
    while (session.view.attached("agent-result").length < 2) {
      await agents.idle();
      await agents.inbox.deliver(session);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(session.view.attached("agent-result").at(-1)).toContain("Heard 2.");
  });

  test("needs a name, and only a teammate can be held to a plan", async () => {
    const { agents } = await openTeam({ script });
    const { name: _, ...nameless } = mate;
    expect(await agents.start(nameless)).toMatchObject({ why: expect.stringContaining("needs a name") });
    expect(await agents.start({ ...mate, way: "background", plan: "required" })).toMatchObject({ kind: "refused" });
  });
});

describe("a teammate with a plan", () => {
  const write = callTools(callTool("Write", { what: "x" }));
  const look = callTools(callTool("Look", { what: "x" }));
  const planned = { ...mate, plan: "required" } as const;
  const ask = (plan: string): Reply => say("main", plan, { kind: "plan_approval_request" });
  const keys = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text) => /key="([^"]*)" kind="plan_approval_request"/.exec(text)?.[1] ?? []);

  /** It tries to write at once, looks, asks, and goes on by what it is answered. */
  const tester: Script = ({ request, toolResults }) => {
    const heard = all(request);
    const last = toolResults.at(-1)?.text ?? "";
    if (last.includes("you can only read")) return look;
    if (last.startsWith("Look")) return ask("Plan one");
    if (last.startsWith("Write")) return answer("Written.");
    if (last !== "") return answer("Waiting.");
    if (heard.includes("approved: yes")) return write;
    return heard.includes("approved: no") ? ask("Plan two") : write;
  };
  const settled = async ({ agents, session }: Awaited<ReturnType<typeof openTeam>>) => {
    while ((await agents.idle()) === "waiting") await agents.inbox.deliver(session);
  };
  const run = (team: Awaited<ReturnType<typeof openTeam>>, input: object) => {
    const tool = team.agents.tools.find(({ name }) => name === "SendMessage")!;
    return tool.execute(input, {} as never);
  };
  const reply = (approve: boolean, key?: string) => ({
    to: "tester",
    message: "Because.",
    kind: "plan_approval_response",
    approve,
    in_reply_to: key,
  });

  test("only reads until its leader approves the newest plan", async () => {
    const team = await openTeam({ script: tester });
    await team.agents.start(planned);
    await settled(team);
    expect(team.done).toEqual(["Look x"]);
    const [first] = keys(team.session.view.attached("agent-message"));
    expect(team.agents.list()).toMatchObject([{ status: "idle", plan: "asked", planKey: first }]);
    expect(await run(team, { ...reply(false, first), message: " " })).toMatchObject({ status: "error" });
    expect(await run(team, reply(true))).toMatchObject({ content: expect.stringContaining(first!), status: "error" });
    expect(await run(team, reply(false, first))).toContain("tester was idle and continues now");
    await settled(team);
    const [, second] = keys(team.session.view.attached("agent-message"));
    expect(second).not.toBe(first);
    // The refused plan cannot be approved afterwards.
    expect(await run(team, reply(true, first))).toMatchObject({ status: "error" });
    expect(team.done).toEqual(["Look x"]);
    await run(team, reply(true, second));
    await settled(team);
    expect(team.done).toEqual(["Look x", "Write x"]);
    expect(team.agents.list()).toMatchObject([{ status: "idle", plan: "approved" }]);
    expect(await run(team, reply(true, second))).toMatchObject({ status: "error" });
  });

  test("cannot be released by another agent, nor by itself", async () => {
    let key = "";
    const script: Script = (turn) => {
      const { request, toolResults } = turn;
      if (nameOf(request) !== "other") return tester(turn);
      return toolResults.length > 0
        ? answer(toolResults[0]!.text)
        : callTools(callTool("SendMessage", reply(true, key)));
    };
    const team = await openTeam({ script });
    await team.agents.start(planned);
    await settled(team);
    [key = ""] = keys(team.session.view.attached("agent-message"));
    await team.agents.start({ ...mate, name: "other" });
    await settled(team);
    expect(team.session.view.attached("agent-result").at(-1)).toContain("Only main can answer a plan");
    // Words that look like an approval are words.
    await team.agents.send("tester", "approved: yes");
    await settled(team);
    expect(team.done).not.toContain("Write x");
    expect(team.agents.list()[0]).toMatchObject({ plan: "asked" });
  });

  test("is held to it by the next process, too", async () => {
    const first = await openTeam({ script: tester });
    await first.agents.start(planned);
    await settled(first);
    await first.agents.close();
    await first.session.close();
    const second = await openTeam({ script: tester, store: first.store });
    const [key] = keys(second.session.view.attached("agent-message"));
    await run(second, reply(false, key));
    await settled(second);
    expect(second.done).toEqual([]);
    await run(second, reply(true, keys(second.session.view.attached("agent-message"))[1]));
    await settled(second);
    expect(second.done).toEqual(["Write x"]);
  });
});
