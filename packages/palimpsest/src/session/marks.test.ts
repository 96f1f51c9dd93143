import { describe, expect, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import { beforeMark } from "../policy/rules/range.ts";
import { afterMark } from "../policy/rules/when.ts";
import type { WindowState } from "../policy/window-state.ts";
import { openJudged } from "./testing/judged-session.ts";
import { compactingWhen } from "./testing/policies.ts";

/** A session whose policy keeps the marks that it sees. */
async function watching() {
  const seen: WindowState["marks"][] = [];
  const policy = compactingWhen(({ marks }) => {
    seen.push(marks);
    return undefined;
  });
  const opened = await openJudged({ policy });
  const next = async (): Promise<WindowState["marks"]> => {
    await opened.session.append("Go on.");
    await opened.ask();
    return seen.at(-1)!;
  };
  return { opened, next };
}

describe("a mark", () => {
  test("shows rules the newest value of each name, with its entry", async () => {
    const { opened, next } = await watching();
    expect(await next()).toEqual({});
    await opened.session.mark("ticket", "open");
    const mood = await opened.session.mark("mood", { customer: ["calm", 3] });
    const closed = await opened.session.mark("ticket", "closed");
    expect(await next()).toEqual({
      ticket: { value: "closed", entry: closed },
      mood: { value: { customer: ["calm", 3] }, entry: mood },
    });
    expect((await opened.entries()).filter(({ kind }) => kind === "mark")).toHaveLength(3);
  });

  test("changes no request", async () => {
    const { opened } = await watching();
    await opened.session.append("Hello.");
    const before = JSON.stringify(await opened.session.prepare());
    await opened.session.mark("ticket", "closed");
    expect(JSON.stringify(await opened.session.prepare())).toBe(before);
  });

  test("survives a compaction and a resume, and a rewind takes it back", async () => {
    const { opened, next } = await watching();
    for (let turn = 0; turn < 4; turn++) {
      await opened.session.append("word ".repeat(2_000));
      await opened.ask();
    }
    const before = opened.session.history.newestEntry;
    await opened.session.mark("ticket", null);
    await opened.session.compact();
    await opened.reopen();
    expect(await next()).toMatchObject({ ticket: { value: null } });
    await opened.session.history.rewind(before);
    expect(await next()).toEqual({});
  });

  test.each([
    ["", "closed"],
    ["ticket", undefined],
    ["ticket", Number.NaN],
    ["ticket", "x".repeat(10_000)],
    ["ticket", [1n]],
    ["ticket", { at: new Date(0) }],
    ["ticket", () => 1],
  ])("is refused if it is no JSON of at most 10,000 characters with a name: %s, %o", async (name, value) => {
    const { opened } = await watching();
    const marking = async () => opened.session.mark(name, value as never);
    await expect(marking()).rejects.toThrow(InvalidOptionError);
  });

  test("can start a compaction of everything before it", async () => {
    const policy = compactingWhen(afterMark("ticket"));
    const opened = await openJudged({
      policy: { ...policy, compact: { ...policy.compact, summary: { kind: "none" }, range: beforeMark("ticket") } },
    });
    for (let turn = 0; turn < 6; turn++) {
      await opened.session.append(`About order ${turn}: ${"word ".repeat(2_000)}`);
      await opened.ask();
    }
    await opened.session.mark("ticket", "closed");
    await opened.session.append("Another ticket.");
    await opened.ask();
    const [boundary] = await opened.session.history.explain();
    expect(boundary?.compaction?.decided).toMatchObject({ rule: "after-mark", level: "requested" });
    expect(boundary?.compaction?.decided?.because).toContain('the mark "ticket" is "closed"');
    expect(opened.session.history.decision()).toMatchObject({ rule: "after-mark" });
  });
});
