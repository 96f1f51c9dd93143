import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import type { ToolCall } from "palimpsest";
import { expect, test } from "vitest";
import { saidIn } from "../testing/acp-editor.ts";
import { ZED_INITIALIZE } from "../testing/zed-handshake.ts";
import { createUpdates } from "./session-updates.ts";

function updatesFor(capabilities: ClientCapabilities) {
  const sent: SessionUpdate[] = [];
  const logged: string[] = [];
  const updates = createUpdates({
    capabilities,
    folder: "/p",
    send: async (update) => void sent.push(update),
    log: (text) => void logged.push(text),
  });
  return { ...updates, sent, logged };
}

const bash: ToolCall = { kind: "tool_call", id: "c", name: "Bash", input: { command: "yes" } };

test("cuts a flood of output, and still ends the call", async () => {
  const { announce, output, result, event, sent } = updatesFor(ZED_INITIALIZE.clientCapabilities);
  announce(bash);
  announce(bash);
  for (let chunk = 0; chunk < 100; chunk++) output("c", `\u001b[31m${"y\n".repeat(5_000)}`);
  result("c", { text: "y\n", lines: 1 });
  await event({ kind: "tool-ended", call: bash, status: "ok", how: "ran" });
  expect(JSON.stringify(sent).length).toBeLessThan(500_000);
  expect(JSON.stringify(sent)).not.toContain("u001b");
  expect(sent[0]).toMatchObject({ title: "yes", content: [{ type: "terminal", terminalId: "c" }] });
  expect(sent.at(-2)).toMatchObject({
    _meta: { terminal_output: { data: expect.stringContaining("no more of this") } },
  });
  expect(sent.at(-1)).toMatchObject({ status: "completed", _meta: { terminal_exit: { exit_code: 0 } } });
});

test("sends notices and compactions as updates if supported, otherwise as messages or log lines", async () => {
  const of = { session: "s", atMs: 0 };
  const started = {
    kind: "compaction-started",
    compaction: "x",
    trigger: "auto",
    reason: "window",
    because: "full",
    ...of,
  } as const;
  const outcome = {
    kind: "compacted",
    summary: { way: "fork", form: "coding", met: true },
    tokensBefore: 9,
    tokensAfter: 4,
    text: "So far.",
  } as const;
  const ended = { kind: "compaction-ended", compaction: "x", reason: "window", outcome, ...of } as const;
  const all = async ({ event, notice }: ReturnType<typeof updatesFor>): Promise<void> => {
    await event({ kind: "session-event", event: { ...started, tokensBefore: 9, earlierCompactions: 0 } });
    await event({ kind: "session-event", event: ended });
    await notice({ text: "Look!", weight: "problem", once: "look" });
    await notice({ text: "Look!", weight: "problem", once: "look" });
    await notice({ text: "By the way.", weight: "news" });
  };
  const able = updatesFor({ session: { notices: {}, compaction: {} } });
  await all(able);
  expect(able.sent).toMatchObject([
    { sessionUpdate: "compaction_update", compactionId: "x", status: "in_progress" },
    { compactionId: "x", status: "completed", summary: [{ type: "text", text: "So far." }] },
    { sessionUpdate: "notice", severity: "warning", title: "Look!" },
    { sessionUpdate: "notice", severity: "info", title: "By the way." },
  ]);
  const plain = updatesFor({});
  await all(plain);
  expect(saidIn(plain.sent)).toMatch(/^> Compacted: 9 -> 4 tokens .*\n\n> Look!\n\n$/);
  expect(plain.logged).toEqual(["By the way."]);
});

test("restarts an interrupted answer as a new message, and sends an unstreamed answer whole", async () => {
  const { event, sent } = updatesFor({});
  await event({ kind: "request-started", tries: 1 });
  await event({ kind: "thinking", text: "Hm." });
  await event({ kind: "text", text: "Half an ans" });
  await event({ kind: "retry-waiting", reason: "broken-stream", message: "It broke.", waitMs: 1_000, tries: 1 });
  await event({ kind: "request-started", tries: 2 });
  await event({ kind: "response", response: { text: "The answer.", calls: [] } as never });
  expect(sent.map(({ sessionUpdate }) => sessionUpdate)[0]).toBe("agent_thought_chunk");
  expect(saidIn(sent)).toMatch(/^Half an ans\n\n> The connection broke here\..*\n\nThe answer\.$/s);
  const ids = sent.map((update) => ("messageId" in update ? update.messageId : undefined));
  expect(new Set(ids).size).toBe(3);
});
