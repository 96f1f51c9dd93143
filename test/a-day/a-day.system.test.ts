import { execFileSync } from "node:child_process";
import type { Exchange } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { temporaryProject } from "../../apps/agent/src/testing/temporary-project.ts";
import { replayEdits } from "./replay-edits.ts";
import { type Day, runADay } from "./run-a-day.ts";
import { FILES, TASKS } from "./tasks.ts";

test("a day: 40 turns, a pause, compactions, an undo, a rewind, a process that is killed", async () => {
  const day = await runADay(temporaryProject(FILES));
  everyTurnIsDone(day);
  noRequestIsRefused(day);
  noEditIsLost(day);
  compactionsCameByThemselvesAndOnDemand(day);
  thePauseIsSeenByBothClocks(day);
  conversationAndFilesWentBackTogether(day);
  theUndoneCompactionLeftNothing(day);
  theKilledCallIsAnsweredOnce(day);
});

function everyTurnIsDone({ talked, commands, log }: Day): void {
  expect(talked).toEqual(TASKS.slice(0, talked.length).map(() => "done"));
  expect(commands.filter(({ code }) => code !== 0)).toEqual([]);
  const said = log.filter(({ kind, payload }) => kind === "message" && payload["origin"] === "human");
  expect(said.map(({ payload }) => /Task (\d+):/.exec(JSON.stringify(payload))?.[1])).toEqual(
    TASKS.map((_, index) => String(index + 1)),
  );
}

function noRequestIsRefused({ cli, costs, sessions }: Day): void {
  expect(cli.server.recorder.exchanges.length).toBeGreaterThan(200);
  expect(cli.refused().map(({ outcome }) => outcome)).toEqual([]);
  // Whatever was lost of the prompt cache, the log knows why.
  expect(costs.breaks.length).toBeGreaterThan(0);
  expect(costs.breaks.filter(({ causes }) => causes.includes("server"))).toEqual([]);
  expect(sessions).toHaveLength(1);
}

function noEditIsLost({ cli, wrong, files, git }: Day): void {
  expect(files()).toEqual(replayEdits(FILES, cli.server.recorder.exchanges, [wrong]));
  expect(git("status", "--porcelain")).toBe("");
  expect(execFileSync(process.execPath, ["--test"], { cwd: cli.folder, encoding: "utf8" })).toContain("pass 1");
}

function compactionsCameByThemselvesAndOnDemand({ log }: Day): void {
  const compactions = log.filter(({ kind }) => kind === "boundary").map(({ payload }) => payload["compaction"]);
  const count = (trigger: string): number => compactions.filter((one) => one?.trigger === trigger).length;
  expect({ manual: count("manual"), other: compactions.length - count("manual") - count("auto") }).toEqual({
    manual: 2,
    other: 0,
  });
  expect(count("auto")).toBeGreaterThanOrEqual(1);
}

const HOURS_MS = 8 * 3_600_000;

function thePauseIsSeenByBothClocks({ cli, pausedAt, log }: Day): void {
  const { exchanges } = cli.server.recorder;
  const [before, after] = [exchanges[pausedAt - 1]!, conversation(exchanges.slice(pausedAt))[0]!];
  expect(after.atMs - before.atMs).toBeGreaterThanOrEqual(HOURS_MS);
  const gaps = log.slice(1).map(({ atMs }, index) => atMs - log[index]!.atMs);
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(HOURS_MS);
  // Nothing of it was in the cache any more.
  expect(after.outcome).toMatchObject({ kind: "answered", usage: { cacheReadTokens: 0 } });
}

function conversationAndFilesWentBackTogether(day: Day): void {
  const { cli, wrong, filesBeforeWrong, filesAfterRewind } = day;
  const { exchanges } = cli.server.recorder;
  expect(filesBeforeWrong).toEqual(replayEdits(FILES, exchanges.slice(0, wrong.from), []));
  expect(filesAfterRewind).toEqual(filesBeforeWrong);
  const next = conversation(exchanges.slice(wrong.to))[0]!;
  expectToBeginAs(next, conversation(exchanges.slice(0, wrong.from)).at(-1)!, day);
  expect(next.body).not.toMatch(/Task 2[567]:/);
}

function theUndoneCompactionLeftNothing(day: Day): void {
  const { cli, undone } = day;
  const { exchanges } = cli.server.recorder;
  const [before, after] = [exchanges.slice(0, undone.from), exchanges.slice(undone.to)];
  expect(undone.to).toBeGreaterThan(undone.from);
  expectToBeginAs(conversation(after)[0]!, conversation(before).at(-1)!, day);
}

function theKilledCallIsAnsweredOnce({ cli, killed }: Day): void {
  expect(killed.code).toBe(null);
  const next = conversation(cli.server.recorder.exchanges.slice(killed.at))[0]!;
  expect(next.body.split("It may have run").length - 1).toBe(1);
  expect(messagesOf(next).slice(-2)).toMatchObject([
    { role: "assistant", content: [{ type: "tool_use", input: { command: "node check-slowly.js" } }] },
    { role: "user", content: [{ type: "tool_result", is_error: true }] },
  ]);
}

/** Requests of the conversation itself: not what the engine asks beside it. */
function conversation(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter(({ body }) => !body.includes("<summary> block") && !body.includes("<session-notes>"));
}

/** All messages of the earlier request come first, as they were, except for results that the log has decided to clear in between. */
function expectToBeginAs(next: Exchange, before: Exchange, { log }: Day): void {
  const cleared = log
    .filter(({ kind, atMs }) => kind === "replace" && atMs > before.atMs && atMs <= next.atMs)
    .map(({ payload }) => String(payload["from"]));
  const now = messagesOf(next);
  const messages = messagesOf(before).map((message, index) => {
    const stub = /\[Cleared to save room: .*Recall entry (\d+) to read it again\.\]/.exec(JSON.stringify(now[index]));
    return stub !== null && cleared.includes(stub[1]!) ? now[index] : message;
  });
  expect(now.slice(0, messages.length)).toEqual(messages);
}

/** Without the marks for the cache, which move on. */
function messagesOf({ body }: Exchange): readonly unknown[] {
  const { messages } = JSON.parse(body, (key, value) => (key === "cache_control" ? undefined : value));
  return messages;
}
