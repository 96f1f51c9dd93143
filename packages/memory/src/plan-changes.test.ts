import { expect, test } from "vitest";
import { toFileRow } from "./file-row.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { MemoryView } from "./memory-files.ts";
import { planForget } from "./plan-changes.ts";

const NOW_MS = Date.UTC(2026, 10, 18);

function viewOf(files: Readonly<Record<string, string>>): MemoryView {
  const bytes = (path: string): Buffer => Buffer.from(files[path]!);
  const facts = { author: "user", modifiedAtMs: NOW_MS } as const;
  const rows = new Map(Object.keys(files).map((path) => [path, toFileRow(path, bytes(path), facts)]));
  return { rows, bytes, limits: DEFAULT_LIMITS, nowMs: NOW_MS, isUnsafe: () => false };
}

test("a topic is kept as forgotten before it goes: whoever is killed between the two has it twice, and not nowhere", () => {
  const view = viewOf({ "regions.md": "We deploy to Dublin.\n" });
  const expected = view.rows.get("regions.md")!.version!;
  const plan = planForget(view, { slug: "regions", by: "user", because: "It moved.", expected });
  if (plan.kind !== "plan") throw new Error(JSON.stringify(plan));
  const [kept, removed] = plan.changes;
  expect(kept).toMatchObject({ path: "forgotten/regions.md", before: "none" });
  expect(String(kept!.after)).toContain("We deploy to Dublin.");
  expect(removed).toEqual({ path: "regions.md", before: expected, after: undefined, author: "user" });
});
