import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { acpContestant } from "./acp-contestant.ts";
import { planCourse } from "./plan-course.ts";
import { requestWords } from "./request-words.ts";
import { onStage } from "./stage.ts";

const MAIN = fileURLToPath(new URL("src/main.ts", import.meta.resolve("palimpsest-agent/package.json")));

/** Our own agent, as an editor starts it. */
const agent = acpContestant({
  name: "palimpsest over ACP",
  kind: "ours",
  api: "anthropic-messages",
  version: () => "none",
  prepare({ model, windowTokens, home }) {
    mkdirSync(join(home, ".palimpsest"), { mode: 0o700 });
    writeFileSync(
      join(home, ".palimpsest", "settings.json"),
      JSON.stringify({ model, models: { [model]: { windowTokens } } }),
    );
  },
  command: ({ url }) => ({
    program: process.execPath,
    args: ["--conditions=palimpsest-source", "--no-warnings", MAIN, "acp"],
    environment: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url },
  }),
});

test("an agent over ACP does its turns in one process, and loads its session after a kill", async () => {
  await onStage(agent, { seed: "acp", windowTokens: 48_000 }, async (stage) => {
    const course = planCourse("acp");
    const limits = { limitMs: 120_000 };
    expect(await stage.play(course.next().value, limits)).toMatchObject({ isDone: true, end: { kind: "ended" } });
    expect(stage.model.toolTexts().length).toBeGreaterThan(0);
    await stage.restart("killed");
    expect(await stage.play(course.next().value, limits)).toMatchObject({ isDone: true, end: { kind: "ended" } });
    // What was said before the kill stands in the first request after it.
    expect(requestWords(stage.model.mainAsks()[0]!.request)).toContain("Task 1 is done.");
  });
});

test("a turn that takes too long is late, and one of an agent that has ended has failed", async () => {
  const silent = acpContestant({
    ...agent,
    prepare: () => undefined,
    command: () => ({ program: process.execPath, args: ["-e", SILENT_AFTER_START] }),
  });
  await onStage(silent, { seed: "acp", windowTokens: 48_000 }, async (stage) => {
    const late = await stage.say("Are you there?", { answer: "Yes." }, { limitMs: 200 });
    expect(late).toMatchObject({ isDone: false, end: { kind: "late" } });
    await stage.kill();
    const failed = await stage.say("And now?", { answer: "Yes." });
    expect(failed.end).toEqual({ kind: "failed", message: '"The process ended."' });
  });
});

const SILENT_AFTER_START = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method !== "session/prompt") console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { sessionId: "one" } }));
});`;
