import { answer, callTool, callTools, createAnthropic, inOrder } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { Hook } from "../hooks/hook.ts";
import { createHooks } from "../hooks/run.ts";
import { readPayload } from "../log/entry.ts";
import { anthropic } from "../providers/anthropic.ts";
import { anthropicInProcess } from "../providers/testing/worlds.ts";
import type { Tool } from "../schema/tool.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import type { Permission } from "./permission.ts";
import { query } from "./query.ts";
import { createInbox } from "./step.ts";

// Tests that a turn uses permissions, streams and the inbox. Their parts have separate tests.

const remove: Tool = {
  name: "remove",
  description: "Removes a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  execute: (input) => `removed ${(input as { path: string }).path}`,
};

interface Turn {
  readonly hooks?: readonly Hook[];
  readonly permission?: Permission;
  readonly tool?: Tool;
}

/** Runs one turn in which the model calls the tool once. Returns the tool results in the log. */
async function runTurn({ hooks = [], permission, tool = remove }: Turn) {
  const script = inOrder([callTools(callTool(tool.name, { path: "a.txt" }))], () => answer("Done."));
  const provider = anthropic(anthropicInProcess(createAnthropic({ script })));
  const store = memoryStore();
  const options = { store, id: "s", provider, model: "claude-opus-5-5", hooks: createHooks(hooks) };
  const session = await openSession(options);
  const turn = query(session, {
    tools: [tool],
    prompt: "Remove a.txt.",
    ...(permission === undefined ? {} : { permission }),
  });
  for await (const _ of turn);
  const reader = (await store.openReader("s"))!;
  return (await reader.read(1, session.history.newestEntry)).flatMap((entry) => {
    const read = readPayload(entry);
    return read.kind === "message" ? read.payload.blocks.filter((block) => block.kind === "tool_result") : [];
  });
}

const decidesBy = (decision: "allow" | "deny"): Hook => ({
  event: "PermissionRequest",
  run: () => ({ decision }),
});

describe("permission", () => {
  test("decides on the input as hooks changed it, not on the model's original input", async () => {
    const rewrites: Hook = { event: "PreToolUse", run: () => ({ newToolInput: { path: "secret.txt" } }) };
    const judged: unknown[] = [];
    const permission: Permission = ({ input }) => {
      judged.push(input);
      const { path } = input as { path: string };
      return path === "secret.txt" ? { kind: "deny", reason: "it is secret" } : { kind: "allow" };
    };
    const [result] = await runTurn({ hooks: [rewrites], permission });
    expect(judged).toEqual([{ path: "secret.txt" }]);
    expect(result).toMatchObject({ status: "error", content: expect.stringContaining("it is secret") });
  });

  test.each([
    ["deny", "allow"],
    ["allow", "deny"],
  ] as const)("denies a call if one hook says %s and another %s", async (first, second) => {
    const hooks = [decidesBy(first), decidesBy(second)];
    const [result] = await runTurn({ hooks, permission: () => ({ kind: "ask" }) });
    expect(result).toMatchObject({ status: "error", content: expect.stringContaining("not allowed") });
  });
});

test("logs a broken tool stream as an error with its received part", async () => {
  async function* breaking(): AsyncGenerator<string> {
    yield "half of it";
    throw new Error("the disk is gone");
  }
  const [result] = await runTurn({ tool: { ...remove, execute: () => breaking() } });
  expect(result).toMatchObject({ status: "error", content: expect.stringContaining("half of it") });
});

test("keeps messages in the inbox until they are logged", async () => {
  const store = memoryStore();
  let fails = false;
  const failing: Store = {
    ...store,
    async openWriter(session, options) {
      const opened = await store.openWriter(session, options);
      if (opened.kind !== "opened") return opened;
      const { writer } = opened;
      const append: typeof writer.append = (entries) => {
        if (fails) throw new Error("the disk is full");
        return writer.append(entries);
      };
      return { kind: "opened", writer: Object.assign(Object.create(writer), { append }) };
    },
  };
  const session = await openSession({
    store: failing,
    id: "s",
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
  });
  const inbox = createInbox();
  inbox.push("One.", "Two.");
  fails = true;
  await expect(inbox.deliver(session)).rejects.toThrow("the disk is full");
  expect(inbox.waiting).toEqual(["One.", "Two."]);
  fails = false;
  expect(await inbox.deliver(session)).toBe(2);
  expect(inbox.waiting).toEqual([]);
});
