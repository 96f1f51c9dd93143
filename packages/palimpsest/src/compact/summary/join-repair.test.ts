import { describe, expect, test } from "vitest";
import type { SummaryAnswer } from "./calls.ts";
import { joinRepair } from "./check.ts";
import { UNVERIFIED } from "./paths.ts";

const isKnown = (path: string): boolean => ["src/parse.ts", "src/money.ts"].includes(path);
const section = (number: number, said = `What part ${number} says.`): string => `## ${number}. Title\n${said}`;
const bodyOf = (...numbers: number[]): string => numbers.map((number) => section(number)).join("\n\n");
const join = (text: string, answer: string | undefined, stop: SummaryAnswer["stop"] = "end"): readonly string[] =>
  joinRepair(text, answer === undefined ? undefined : { text: answer, stop, calls: 0 }, isKnown);

describe("the answer to the question", () => {
  test("adds the sections that were missing, in their order", () => {
    const [added] = join(`Summary:\n${bodyOf(1, 2, 4)}`, `<summary>\n${bodyOf(3, 5)}\n</summary>`);
    expect(added).toBe(`Summary:\n${bodyOf(1, 2, 3, 4, 5)}`);
  });

  test("replaces sections only in the second place", () => {
    const [added, replaced] = join(`Summary:\n${bodyOf(1)}`, `${section(1, "Something else.")}\n\n${section(2)}`);
    expect(added).toBe(`Summary:\n${bodyOf(1, 2)}`);
    expect(replaced).toBe(`Summary:\n${section(1, "Something else.")}\n\n${section(2)}`);
  });

  test("stands at the end of prose, and alone only if it is long enough", () => {
    const prose = `Ann wants her money back. ${"She is patient. ".repeat(20)}`;
    expect(join(prose, "The order is ORD-1234.")).toEqual(Array(2).fill(`${prose}\n\nThe order is ORD-1234.`));
    const again = `Ann wants her money back for ORD-1234. ${"She is patient. ".repeat(20)}`;
    expect(join(prose, again).at(-1)).toBe(`Summary:\n${again.trim()}`);
  });

  test.each<[string, string | undefined, SummaryAnswer["stop"]]>([
    ["missing", undefined, "end"],
    ["blank", " ", "end"],
    ["a scratchpad only", "<analysis>Hm.</analysis>", "end"],
    ["cut off", section(2), "length"],
  ])("changes nothing if it is %s", (_, answer, stop) => {
    expect(join(bodyOf(1), answer, stop)).toEqual([bodyOf(1)]);
  });
});

describe("paths that do not occur in the log", () => {
  const text = "Changed src/prase.ts and lib/made-up.ts today.";

  test("are corrected where the log knows the right one, and otherwise marked", () => {
    const answer = "path: src/prase.ts => src/parse.ts\n- path: `lib/made-up.ts` => `lib/invented.ts`";
    expect(join(text, answer)).toEqual([`Changed src/parse.ts and lib/made-up.ts${UNVERIFIED} today.`]);
  });

  test("are marked without an answer, and once", () => {
    const [marked] = join(text, undefined);
    expect(marked).toBe(`Changed src/prase.ts${UNVERIFIED} and lib/made-up.ts${UNVERIFIED} today.`);
    expect(join(marked!, undefined)).toEqual([marked]);
  });

  test("are marked in what the answer brought", () => {
    expect(join(bodyOf(1), section(2, "Open src/new/other.ts now."))[0]).toContain(
      `src/new/other.ts${UNVERIFIED} now.`,
    );
  });
});
