import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addedContext, type Hook, type HookEvent, type HookRun, mergeInstructions } from "./hook.ts";

import { createHooks, InvalidHookError } from "./run.ts";

const compact = { sessionId: "s", trigger: "manual" } as const;
const tool = (toolName: string) => ({ sessionId: "s", toolName, toolInput: {}, callId: "c" }) as const;
const after = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

describe("hooks for an event", () => {
  test("run at the same time, and answer in list order", async () => {
    const order: string[] = [];
    const hook = (name: string, ms: number): Hook => ({
      event: "SessionStart",
      async run({ source }) {
        await after(ms, undefined);
        order.push(name);
        return { additionalContext: `${name} at ${source}` };
      },
    });
    const hooks = createHooks([hook("slow", 120), hook("quick", 10), hook("middle", 60)]);
    const results = await hooks.run("SessionStart", { sessionId: "s", source: "compact" });
    // If the hooks ran one after the other, the slow hook would end first.
    expect(order).toEqual(["quick", "middle", "slow"]);
    expect(addedContext(results)).toBe("slow at compact\n\nquick at compact\n\nmiddle at compact");
  });

  test("run only for their event and their tools", async () => {
    const called: string[] = [];
    const hook = (name: string, event: "PreToolUse" | "PostToolUse", tools?: string): Hook => ({
      event,
      run: () => void called.push(name),
      ...(tools === undefined ? {} : { tools }),
    });
    const hooks = createHooks([
      hook("all", "PreToolUse"),
      hook("edits", "PreToolUse", "Edit|Write"),
      hook("server", "PreToolUse", "mcp__git__*"),
      hook("literal", "PreToolUse", "E.it"),
      hook("after", "PostToolUse"),
    ]);
    for (const name of ["Edit", "Editor", "mcp__git__log"]) await hooks.run("PreToolUse", tool(name));
    expect(called).toEqual(["all", "edits", "all", "all", "server"]);
  });

  test("return no results if the list is empty", async () => {
    expect(await createHooks([]).run("Stop", { sessionId: "s" })).toEqual({
      ran: 0,
      outputs: [],
      failures: [],
      messages: [],
    });
  });

  test("take the reason from the first hook that blocks, and return messages for the user", async () => {
    const hooks = createHooks([
      { event: "Stop", run: () => after(30, { block: "Tests fail.", userDisplayMessage: "Going on." }), name: "tests" },
      { event: "Stop", run: () => ({ block: "Lint fails." }) },
    ]);
    const { ran, blocked, messages } = await hooks.run("Stop", { sessionId: "s" });
    expect(blocked).toEqual({ reason: "Tests fail.", by: "tests" });
    expect(ran).toBe(2);
    expect(messages).toEqual(["Going on."]);
  });
});

describe("reports a failed hook and keeps the answers of the others, if a hook", () => {
  const bad: readonly [string, HookRun<"PreCompact">, string, string][] = [
    ["throws", () => fail("boom"), "error", "boom"],
    ["rejects", async () => fail("later"), "error", "later"],
    ["throws a value that is not an error", () => fail(undefined), "error", "undefined"],
    ["throws a value that cannot be shown", () => fail(Object.create(null)), "error", "cannot be shown"],
    ["never settles", () => new Promise(() => undefined), "timeout", "100 ms"],
    ["returns a number", () => 5 as never, "invalid", "returns an object"],
    ["returns a list", () => [] as never, "invalid", "returns an object"],
    ["returns a wrong field", () => ({ newCustomInstructions: 5 }) as never, "invalid", "newCustomInstructions"],
    ["returns a value that JSON cannot hold", () => ({ block: 5n }) as never, "invalid", "of type bigint"],
    ["returns an object with a throwing getter", () => throwing() as never, "error", "hands off"],
    ["returns invalid JSON", () => "{5}", "invalid", "begins like JSON"],
  ];

  test.each(bad)("%s", async (_, run, kind, message) => {
    const hooks = createHooks(
      [
        { event: "PreCompact", run, name: "bad" },
        { event: "PreCompact", run: () => "Keep the numbers." },
      ],
      { timeoutMs: 100 },
    );
    // This would never return if the run waited for a hook that never answers.
    const results = await hooks.run("PreCompact", compact);
    expect(results.failures).toEqual([{ by: "bad", kind, message: expect.stringContaining(message) }]);
    expect(mergeInstructions("Keep the names.", results)).toBe("Keep the names.\n\nKeep the numbers.");
  });

  test("aborts the signal of a hook at its deadline, and ignores a late answer", async () => {
    let reason: unknown;
    const hooks = createHooks([
      {
        event: "PreCompact",
        timeoutMs: 50,
        run: (_, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              reason = signal.aborted;
              resolve("Too late.");
            }),
          ),
      },
    ]);
    const { outputs, failures } = await hooks.run("PreCompact", compact);
    expect(reason).toBe(true);
    expect(outputs).toEqual([]);
    expect(failures.map(({ kind }) => kind)).toEqual(["timeout"]);
  });

  test("does not abort a hook that answers in time, and leaves no timer", async () => {
    let stopped = false;
    const hooks = createHooks([
      { event: "SessionEnd", run: (_, { signal }) => signal.addEventListener("abort", () => (stopped = true)) },
    ]);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    await hooks.run("SessionEnd", { sessionId: "s" });
    expect(timers()).toBe(before);
    expect(stopped).toBe(false);
  });
});

test.each([0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])("refuses a deadline of %d ms", (timeoutMs) => {
  expect(() => createHooks([{ event: "Stop", run: () => undefined, timeoutMs }])).toThrow(InvalidHookError);
});

test.each<[HookEvent, string]>([
  ["PreCompact", "newCustomInstructions"],
  ["SessionStart", "additionalContext"],
  ["PostToolUse", "additionalContext"],
  ["Stop", "userDisplayMessage"],
])("reads a plain text of a %s hook as %s", async (event, field) => {
  const hooks = createHooks([{ event, run: () => " Text. " } as Hook]);
  const { outputs } = await hooks.run(event, compact as never);
  expect(outputs.map(({ output }) => output)).toEqual([{ [field]: "Text." }]);
});

test("mergeInstructions keeps repeated instructions once, and returns undefined without any", async () => {
  const none = await createHooks([]).run("PreCompact", compact);
  expect(mergeInstructions(undefined, none)).toBeUndefined();
  expect(mergeInstructions("  ", none)).toBeUndefined();
  const same = createHooks([
    { event: "PreCompact", run: () => "Same." },
    { event: "PreCompact", run: () => ({ newCustomInstructions: "Same. " }) },
  ]);
  expect(mergeInstructions("Same.", await same.run("PreCompact", compact))).toBe("Same.");
  const half = createHooks([{ event: "PreCompact", run: () => "half \ud83d" }]);
  expect(mergeInstructions(undefined, await half.run("PreCompact", compact))).toBe("half \ufffd");
});

test("never rejects and returns only valid outputs, whatever hooks return or throw", async () => {
  const field = fc.constantFrom(
    "block",
    "userDisplayMessage",
    "additionalContext",
    "decision",
    "newToolInput",
    "other",
  );
  const answer = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.dictionary(field, fc.anything()),
  );
  const event = fc.constantFrom("PermissionRequest", "PreToolUse", "PostToolUse");
  await fc.assert(
    fc.asyncProperty(event, answer, fc.boolean(), async (at, value, throws) => {
      const run = () => (throws ? fail(value) : value);
      const { outputs, failures } = await createHooks([{ event: at, run } as Hook]).run(at, tool("Read") as never);
      expect(outputs.length + failures.length).toBeLessThanOrEqual(1);
      for (const { output } of outputs) {
        const { newToolInput, ...texts } = output as Record<string, unknown>;
        expect(typeof (newToolInput ?? {})).toBe("object");
        expect(Object.values(texts).every((text) => typeof text === "string")).toBe(true);
        expect(texts).not.toHaveProperty("other");
      }
    }),
    { numRuns: 500 },
  );
});

function throwing(): object {
  return {
    get block() {
      return fail("hands off");
    },
  };
}

function fail(what: unknown): never {
  throw typeof what === "string" ? new Error(what) : what;
}
