import { answer, callTool, callTools, type Reply, type Script } from "@palimpsest/provider-simulator";
import { stepTurn } from "palimpsest";
import { createHooks } from "palimpsest/hooks";
import { describe, expect, test } from "vitest";
import type { AgentLimits } from "./agents-options.ts";
import { readAgents } from "./read-agents.ts";
import { openTeam } from "./testing/open-team.ts";

const start = (way: string, prompt: string, more: object = {}) =>
  callTool("Agent", { way, prompt, description: `do ${prompt}`, ...more });

/** The first user text of a request tells who is asked. */
const firstText = (request: Readonly<Record<string, unknown>>): string =>
  JSON.stringify((request["messages"] as unknown[])[0]);
const systemOf = (request: Readonly<Record<string, unknown>>): string => JSON.stringify(request["system"]);
const isMain = (request: Readonly<Record<string, unknown>>): boolean => systemOf(request).includes("You lead.");
const all = (request: Readonly<Record<string, unknown>>): string => JSON.stringify(request["messages"]);

test("where agents are off the model has no tool to start one, and none is started", async () => {
  const { agents } = await openTeam({ script: () => answer("Ok."), settings: { "agents.enabled": "off" } });
  expect(agents.tools.map(({ name }) => name)).toEqual(["SendMessage"]);
  expect(await agents.start({ prompt: "p", description: "d", way: "background" })).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("agents.enabled"),
  });
});

test.each([
  [{ maxRounds: 0 }, "createAgents({ maxRounds }) is 0; it must be a whole number, at least 1."],
  [{ resultCharacters: 999 }, "it must be a whole number, at least 1000."],
  [{ resultsCharacters: Number.NaN }, "it must be a whole number, at least 1000."],
  [{ phrases: "sometimes" }, 'it must be one of "on", "off".'],
  [{ phraseEveryMs: 10 }, "it must be a whole number, at least 1000."],
])("createAgents refuses %j", async (limits, message) => {
  await expect(openTeam({ script: () => answer("Ok."), limits: limits as AgentLimits })).rejects.toThrow(message);
});

describe("in the foreground", () => {
  test("an agent has its own prompt and session, and its last message is the result", async () => {
    const script: Script = ({ request, toolResults, userText }) => {
      if (!isMain(request))
        return toolResults.length > 0 ? answer("I found 42.") : callTools(callTool("Look", { what: "x" }));
      return userText.includes("Begin")
        ? callTools(start("foreground", "find it"))
        : answer(`Heard: ${toolResults[0]?.text}`);
    };
    const { turn, session, sent, done } = await openTeam({ script });
    expect(await turn("Begin. «secret of the leader»")).toMatchObject({ kind: "done", text: "Heard: I found 42." });
    expect(done).toEqual(["Look x"]);
    expect(session.background.agents()).toMatchObject([
      { id: "a1", way: "subagent", status: "done", goal: "do find it" },
    ]);
    const ofChild = sent.filter((body) => !body.includes("You lead."));
    expect(ofChild).toHaveLength(2);
    expect(ofChild.join()).not.toContain("secret of the leader");
    // It can start none of its own.
    expect(ofChild[0]).not.toContain('"name":"Agent"');
  });

  test("its call has told its report, and nothing waits behind it", async () => {
    const script: Script = ({ request }) =>
      isMain(request) ? callTools(start("foreground", "find it")) : answer("I found 42.");
    const { agents, session } = await openTeam({ script });
    await session.append("Begin.");
    for (const kind of ["responded", "ran"]) {
      const step = stepTurn(session, { tools: agents.tools, inbox: agents.inbox });
      let taken = await step.next();
      while (taken.done !== true) taken = await step.next();
      expect(taken.value.kind).toBe(kind);
    }
    expect(await agents.idle()).toBe("nothing-runs");
    expect(session.view.attached("agent-result")).toEqual([]);
  });

  test("tools that its kind does not have are not in its list", async () => {
    const tools: string[][] = [];
    const script: Script = ({ request, tools: offered, userText }) => {
      if (isMain(request))
        return userText.includes("Begin")
          ? callTools(start("foreground", "read", { kind: "reader" }))
          : answer("Done.");
      tools.push([...offered]);
      return tools.length === 1 ? callTools(callTool("Write", { what: "no" })) : answer("Read.");
    };
    const { turn, done } = await openTeam({ script });
    await turn("Begin.");
    expect(tools[0]).toEqual(["Look", "SendMessage"]);
    expect(done).toEqual([]);
  });

  test("one whose session cannot be opened, or whose limits are used up, fails with the reason", async () => {
    const script: Script = ({ request, toolResults, userText }) => {
      if (!isMain(request)) return callTools(callTool("Look", { what: "again" }));
      return userText.includes("Begin")
        ? callTools(start("foreground", "never end"))
        : answer(toolResults[0]?.text ?? "");
    };
    const { turn, session } = await openTeam({ script, limits: { maxRounds: 3 } });
    expect(await turn("Begin.")).toMatchObject({ text: expect.stringContaining("after 3 responses") });
    expect(session.background.agents()).toMatchObject([{ status: "failed" }]);
    const few = await openTeam({ script, settings: { "agents.tokens": 1 } });
    expect(await few.turn("Begin.")).toMatchObject({ text: expect.stringContaining("agents.tokens allows 1") });
  });

  test("it ends with the turn that waits for it", async () => {
    const controller = new AbortController();
    const script: Script = ({ request }) => {
      if (isMain(request)) return callTools(start("foreground", "wait"));
      return callTools(callTool("Look", { what: "again" }));
    };
    const { agents, session } = await openTeam({ script, limits: { maxRounds: 100_000 } });
    await session.append("Begin.");
    const started = await agents.start({ prompt: "x", description: "x", way: "background", signal: controller.signal });
    if (started.kind !== "started") throw new Error(started.why);
    controller.abort();
    expect(await started.done).toMatchObject({ outcome: "stopped" });
  });
});

describe("in the background", () => {
  const script: Script = ({ request, userText, toolResults }) => {
    if (!isMain(request)) return answer(`Report on ${/task-\d/.exec(firstText(request))}.`);
    if (userText.includes("Begin")) return callTools(start("background", "task-1"), start("background", "task-2"));
    const reports = all(request).match(/outcome=[^>]*>\\nReport on task-\d/g) ?? [];
    return answer(toolResults.length > 0 && reports.length === 0 ? "Waiting." : `${reports.length} reports`);
  };

  test("an id comes at once, and each report comes once, by the inbox", async () => {
    const { turn, agents, session } = await openTeam({ script });
    await turn("Begin.");
    while ((await agents.idle()) === "waiting") await turn();
    expect(await turn("And?")).toMatchObject({ text: "2 reports" });
    expect(session.background.agents().map(({ status }) => status)).toEqual(["done", "done"]);
    expect(session.view.attached("agent-result")).toHaveLength(2);
    expect(await agents.inbox.deliver(session)).toBe(0);
  });

  test("results of work that was taken back are dropped, and the work is stopped", async () => {
    const { turn, agents, session } = await openTeam({ script });
    const before = session.history.newestEntry;
    await turn("Begin.");
    await agents.drain(10_000);
    await session.history.rewind(before);
    await agents.inbox.deliver(session);
    expect(session.view.attached("agent-result")).toEqual([]);
    expect(agents.list()).toEqual([]);
  });

  test("what is long is cut, and can be read", async () => {
    const long = `begin ${"word ".repeat(6_000)} end`;
    const talker: Script = ({ request }) => (isMain(request) ? answer("Ok.") : answer(long));
    const { agents, session } = await openTeam({ script: talker });
    for (let at = 0; at < 8; at++) await agents.start({ prompt: "talk", description: "talk", way: "background" });
    expect(await agents.drain(60_000)).toBe("drained");
    expect(await agents.inbox.deliver(session)).toBe(8);
    const emitted = session.view.attached("agent-result");
    expect(emitted.join("").length).toBeLessThan(70_000);
    // They come in the order in which the agents ended.
    const ofFirst = emitted.find((text) => text.startsWith('<agent-result id="a1"'));
    expect(ofFirst).toMatch(/^<agent-result id="a1" outcome="done">\nbegin [\s\S]* end\n<\/agent-result>$/);
    const read = (agents.tools[0]!.execute as (input: object, context: object) => Promise<string>)(
      { command: "read", id: "a1", from_character: 20_000 },
      {},
    );
    expect(await read).toContain(" end");
  });

  test("reports are cut to the limits of one report and of all reports that arrive together", async () => {
    const talker: Script = ({ request }) => (isMain(request) ? answer("Ok.") : answer("word ".repeat(2_000)));
    for (const [limits, agentCount, maxCharacters] of [
      [{ resultCharacters: 2_000 }, 1, 2_400],
      [{ resultsCharacters: 3_000 }, 3, 4_200],
    ] as const) {
      const { agents, session } = await openTeam({ script: talker, limits });
      for (let at = 0; at < agentCount; at++) await agents.start({ prompt: "p", description: "d", way: "background" });
      expect(await agents.drain(60_000)).toBe("drained");
      await agents.inbox.deliver(session);
      expect(session.view.attached("agent-result").join("").length).toBeLessThan(maxCharacters);
    }
  });

  test("one that was running when the program ended is told of, and goes on from its log by a message", async () => {
    let isLate = false;
    const stuck: Script = ({ request }) => {
      if (isMain(request)) return answer("Ok.");
      return isLate
        ? answer(all(request).includes("are you there") ? "Back again." : "?")
        : callTools(callTool("Look", { what: "x" }));
    };
    const first = await openTeam({ script: stuck, limits: { maxRounds: 100_000 } });
    await first.agents.start({ prompt: "p", description: "d", way: "background", name: "worker" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await first.agents.close();
    await first.session.close();

    isLate = true;
    const second = await openTeam({ script: stuck, store: first.store });
    expect(second.session.background.agents()).toMatchObject([{ status: "running" }]);
    expect(await second.agents.send("worker", "are you there")).toMatchObject({ kind: "sent", woken: ["worker"] });
    expect(second.session.view.attached("agent-result")[0]).toContain("The program ended while it ran");
    expect(await second.agents.idle()).toBe("waiting");
    await second.agents.inbox.deliver(second.session);
    expect(second.session.view.attached("agent-result").at(-1)).toContain("Back again.");
    expect(second.session.background.agents()).toMatchObject([{ status: "done" }]);
  });

  test("one that had ended when the program died is told of once, and nothing of it is done again", async () => {
    const first = await openTeam({ script });
    await first.agents.start({ prompt: "task-1", description: "d", way: "background" });
    await first.agents.drain(10_000);
    // Its result was waiting, and not in the log yet.
    await first.session.close();
    for (const expected of [1, 0, 0]) {
      const next = await openTeam({ script, store: first.store });
      expect(await next.agents.inbox.deliver(next.session)).toBe(expected);
      expect(next.session.view.attached("agent-result")).toEqual([
        '<agent-result id="a1" outcome="done">\nReport on task-1.\n</agent-result>',
      ]);
      expect(next.sent).toEqual([]);
      expect(await next.agents.idle()).toBe("nothing-runs");
      await next.session.close();
    }
  });

  test("a result that comes after its agent was stopped changes nothing", async () => {
    const { agents, session, sent } = await openTeam({ script, limits: { maxRounds: 100_000 } });
    await agents.start({ prompt: "task-1", description: "d", way: "background" });
    await agents.drain(10_000);
    await agents.inbox.deliver(session);
    const [before, requests] = [session.history.newestEntry, sent.length];
    const late = { id: "a1", step: "ended", outcome: "failed", told: "next-entry" } as const;
    expect(await session.background.enterAgent(late, "Start it all again.")).toBe("known");
    expect(await agents.inbox.deliver(session)).toBe(0);
    expect([session.history.newestEntry, sent.length]).toEqual([before, requests]);
    expect(session.background.agents()).toMatchObject([{ status: "done" }]);
  });

  test("what it uses is in the session's ledger, each response once, also after it was woken", async () => {
    const { agents, session, turn } = await openTeam({ script: () => answer("Done.") });
    await turn("Begin.");
    for (const way of ["background", "fork"] as const) await agents.start({ prompt: "p", description: "d", way });
    await agents.drain(10_000);
    expect((await session.ledger.cost()).bySource["agent"]?.responses).toBe(2);
    for (const id of ["a1", "a2"]) expect(await agents.send(id, "more")).toMatchObject({ woken: [id] });
    await agents.drain(10_000);
    const { agent } = (await session.ledger.cost()).bySource;
    expect(agent?.responses).toBe(4);
    expect(agent?.priceUsd).toBeGreaterThan(0);
  });

  test("hooks are run at its start and its end, and can make it go on", async () => {
    const ran: string[] = [];
    const hooks = createHooks([
      {
        event: "SubagentStart",
        run: ({ agentId }) => {
          ran.push(`start ${agentId}`);
          return { additionalContext: "Mind the gap." };
        },
      },
      { event: "SubagentStop", run: () => (ran.push("stop") === 2 ? { block: "Not yet." } : undefined) },
    ]);
    const heard: string[] = [];
    const gap: Script = ({ request }) => {
      heard.push(all(request));
      return answer("Done.");
    };
    const { agents } = await openTeam({ script: gap, hooks });
    const started = await agents.start({ prompt: "p", description: "d", way: "background" });
    expect(started.kind === "started" && (await started.done)).toMatchObject({ outcome: "done" });
    expect(ran).toEqual(["start a1", "stop", "stop"]);
    expect(heard[0]).toContain("Mind the gap.");
    expect(heard[1]).toContain("Not yet.");
  });
});

describe("forks", () => {
  const forks = (count: number, more: object = {}): Reply =>
    callTools(...Array.from({ length: count }, (_, at) => start("fork", `part-${at}`, more)));

  test("those of one response share all but their task, know the conversation, and cannot fork", async () => {
    const bodies: string[] = [];
    const script: Script = ({ request, userText }) => {
      const part = /parent\\">\\n(part-\d+)/.exec(all(request))?.[1];
      if (part === undefined) return userText.includes("Begin") ? forks(12) : answer("Ok.");
      bodies.push(all(request));
      if (all(request).includes("cannot be used here")) return answer(`Report of ${part}`);
      return callTools(start("fork", "deeper"));
    };
    const { turn, agents, session } = await openTeam({ script });
    await turn("Begin. «what only the leader was told»");
    while ((await agents.idle()) === "waiting") await turn();
    const firsts = bodies.filter((body) => !body.includes("deeper"));
    expect(firsts).toHaveLength(12);
    const parts = firsts.map((body) => body.split('parent\\">\\npart-'));
    expect(new Set(parts.map(([before]) => before)).size).toBe(1);
    expect(firsts[0]).toContain("what only the leader was told");
    expect(session.background.agents()).toHaveLength(12);
    expect(session.view.attached("agent-result").filter((text) => text.includes("Report of part-"))).toHaveLength(12);
    const { bySource } = await session.ledger.cost();
    expect(bySource["agent"]!.responses).toBe(24);
  });

  test("tools that its kind may not use stay in its list and are refused", async () => {
    const lists: string[][] = [];
    const script: Script = ({ request, userText, tools }) => {
      lists.push([...tools]);
      if (!all(request).includes("The task:"))
        return userText.includes("Begin") ? forks(1, { kind: "reader" }) : answer("Ok.");
      return lists.length > 4 || all(request).includes("cannot be used here")
        ? answer("Read only.")
        : callTools(callTool("Write", { what: "no" }), callTool("Look", { what: "yes" }));
    };
    const { turn, agents, done } = await openTeam({ script });
    await turn("Begin.");
    while ((await agents.idle()) === "waiting") await turn();
    expect(new Set(lists.map((list) => list.join())).size).toBe(1);
    expect(done).toEqual(["Look yes"]);
  });

  test("what one has cost is read from the logs, as the session's ledger has it", async () => {
    const script: Script = ({ request, userText }) =>
      all(request).includes("The task:") ? answer("Found.") : userText.includes("Begin") ? forks(2) : answer("Ok.");
    const { turn, agents, session, store } = await openTeam({ script, system: "You lead. ".repeat(5_000) });
    await turn("Begin.");
    await agents.drain(10_000);
    const read = await readAgents(store, session.id);
    expect(read.map(({ way, responses }) => [way, responses])).toEqual([
      ["fork", 1],
      ["fork", 1],
    ]);
    const { bySource } = await session.ledger.cost();
    expect(read.every(({ priceUsd }) => priceUsd > 0)).toBe(true);
    expect(read.reduce((sum, { priceUsd }) => sum + priceUsd, 0)).toBeCloseTo(bySource["agent"]!.priceUsd, 12);
  });

  test("one that goes on later is still a fork: the tag is in its log", async () => {
    const script: Script = ({ request, userText }) => {
      if (!all(request).includes("The task:")) return userText.includes("Begin") ? forks(1) : answer("Ok.");
      if (all(request).includes("cannot be used here")) return answer("I cannot fork.");
      return all(request).includes("once more") ? callTools(start("fork", "deeper")) : answer("Done.");
    };
    const { turn, agents, session } = await openTeam({ script });
    await turn("Begin.");
    while ((await agents.idle()) === "waiting") await turn();
    expect(await agents.send("a1", "once more")).toMatchObject({ woken: ["a1"] });
    while ((await agents.idle()) === "waiting") await agents.inbox.deliver(session);
    expect(session.view.attached("agent-result").at(-1)).toContain("I cannot fork.");
    expect(session.background.agents()).toHaveLength(1);
  });
});

test("an agent whose start was taken back by a rewind is stopped, and spends nothing more", async () => {
  const busy: Script = ({ request }) => (isMain(request) ? answer("Ok.") : callTools(callTool("Look", { what: "x" })));
  const { session, agents } = await openTeam({ script: busy, limits: { maxRounds: 100_000 } });
  await session.append("Before.");
  const before = session.history.newestEntry;
  const started = await agents.start({ prompt: "p", description: "d", way: "background" });
  if (started.kind !== "started") throw new Error(started.why);
  await session.history.rewind(before);
  await agents.inbox.deliver(session);
  expect((await started.done).outcome).toBe("stopped");
  expect(session.view.attached("agent-result")).toEqual([]);
});
