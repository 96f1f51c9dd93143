import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { isOfFolder } from "./is-of-folder.ts";

const digestOf = (folder: string): string => createHash("sha256").update(folder).digest("hex");
const recorded = (cwd: string) => ({ agent: "codex", path: "/home/me/rollout.jsonl", cwd }) as const;
const unplaced = (agent: "gemini" | "cline", path: string) => ({ agent, path }) as const;

test.each([
  [recorded("/work/sums"), "yes"],
  [recorded("/work/sums/packages/a"), "yes"],
  [recorded("/work/sums-2"), "no"],
  [recorded("/work"), "no"],
  [recorded("/work/sums/../secret"), "no"],
  [unplaced("gemini", `/home/me/.gemini/tmp/${digestOf("/work/sums")}/chats/session-1.jsonl`), "yes"],
  [unplaced("gemini", `/home/me/.gemini/tmp/${digestOf("/work")}/chats/session-1.jsonl`), "no"],
  [unplaced("gemini", "/home/me/.gemini/tmp/sums/chats/session-1.jsonl"), "unknown"],
  [unplaced("cline", "/home/me/.cline/data/sessions/1/1.messages.json"), "unknown"],
])("%j: %s", (session, wanted) => expect(isOfFolder(session, "/work/sums")).toBe(wanted));

test("folders below count only where that is wanted, and below the root everything is", () => {
  expect(isOfFolder(recorded("/work/sums/a"), "/work/sums", "does not count")).toBe("no");
  expect(isOfFolder(recorded("/work"), "/")).toBe("yes");
  expect(isOfFolder(recorded("/"), "/", "does not count")).toBe("yes");
});
