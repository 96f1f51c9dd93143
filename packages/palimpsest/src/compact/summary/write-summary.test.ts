import { manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { Summary, SummaryAsk, WriteSummary } from "../../policy/policy.ts";
import type { CallResult, ModelCalls, ModelConversation } from "./calls.ts";
import { CODING_SECTIONS, codingSummary, native, prose, sections, written } from "./forms.ts";
import type { TranscriptRound } from "./transcript.ts";
import { type SummaryPlan, writeSummary } from "./write-summary.ts";

const ROUNDS: readonly TranscriptRound[] = Array.from({ length: 30 }, (_, index) => ({
  from: index + 1,
  to: index + 1,
  text: `round ${index} ${"word ".repeat(200)}`,
}));
const ASK: SummaryAsk = { part: "all", instructions: "", sourceTokens: 8_000, isKnown: () => true };
const TICKET = { Customer: "Who it is.", Promised: "What we promised." };
const PROSE =
  "Ann asked for her money back because the kettle of order ORD-1234 leaks. We promised a refund by Friday, and she still has to send the label back.";

type Step = string | CallResult;
interface World extends Partial<SummaryPlan> {
  readonly summary: Summary;
  /** The answers of the model, one after the other; the last one is repeated. */
  readonly answers?: readonly Step[];
}

/** A model that answers step by step, and what it was asked in which way. */
function begin({ answers = ["I cannot do that."], ...plan }: World) {
  const asked: { readonly way: "fork" | "direct"; readonly words: string }[] = [];
  let open = 0;
  const converse = (way: "fork" | "direct") => async (): Promise<ModelConversation> => {
    open++;
    return {
      async ask(words) {
        const step = answers[Math.min(asked.length, answers.length - 1)]!;
        asked.push({ way, words });
        return typeof step === "string" ? { kind: "answer", answer: { text: step, stop: "end", calls: 0 } } : step;
      },
      async close() {
        open--;
      },
    };
  };
  const modelCalls: ModelCalls = {
    fork: converse("fork"),
    direct: converse("direct"),
    provider: async () => undefined,
  };
  const clock = manualClock(0);
  const running = writeSummary({
    ask: ASK,
    variant: "full",
    instructions: "",
    modelCalls,
    rounds: ROUNDS,
    noFork: undefined,
    rule: "called",
    directTokens: 100_000,
    maximumParts: 6,
    maximumTokens: 4_000,
    countTokens: (text) => Math.ceil(text.length / 4),
    said: "",
    clock,
    signal: new AbortController().signal,
    ...plan,
  });
  return { running, asked, clock, open: () => open };
}

async function write(world: World) {
  const { running, asked, open } = begin(world);
  const result = await running;
  expect(open()).toBe(0);
  const { written: text } = result;
  return { ...result, asked, text: text !== undefined && "text" in text ? text.text : undefined };
}

const tagged = (text: string): string => `<summary>\n${text}\n</summary>`;
const ofCoding = (said: string): string =>
  tagged(
    Object.keys(CODING_SECTIONS)
      .map((title, index) => `## ${index + 1}. ${title}\n${said}`)
      .join("\n"),
  );

describe("a form and its answer", () => {
  test.each<[string, string]>([
    ["with tags", tagged(PROSE)],
    ["without tags", `${PROSE} ${PROSE.replace("Ann", "She")}`],
  ])("prose that is asked for takes one call: %s", async (_, answer) => {
    const { summary, asked, text, problem } = await write({
      summary: prose("Who the customer is."),
      answers: [answer],
    });
    expect(summary).toEqual({ way: "fork", form: "prose", met: true });
    expect(asked.map(({ way }) => way)).toEqual(["fork"]);
    expect(text).toContain("ORD-1234");
    expect(problem).toBeUndefined();
  });

  test("prose in place of sections takes one question, and is kept", async () => {
    const { summary, asked, text, problem, attempts } = await write({
      summary: codingSummary(),
      answers: [tagged(PROSE), "I have nothing to add."],
    });
    expect(summary).toEqual({ way: "fork", form: "coding", met: false });
    expect(asked.map(({ way }) => way)).toEqual(["fork", "fork"]);
    expect(asked[1]!.words).toContain("1. Primary request and intent:");
    expect(text).toContain("ORD-1234");
    expect(problem).toMatchObject({ reason: "no-usable-summary", because: expect.stringContaining("missing") });
    expect(attempts).toEqual([]);
  });

  test("the one question brings what is missing", async () => {
    const { summary, asked, text } = await write({
      summary: sections(TICKET),
      answers: [tagged("## 1. Customer\nAnn."), tagged("## 2. Promised\nA refund.")],
    });
    expect(summary).toEqual({ way: "fork", form: "sections", met: true });
    expect(asked).toHaveLength(2);
    expect(text).toBe("Summary:\n## 1. Customer\nAnn.\n\n## 2. Promised\nA refund.");
  });

  test("a form that refuses goes on to the next way, and asks no second question", async () => {
    const { summary, asked, attempts } = await write({
      summary: sections(TICKET, { required: ["Promised"], ifUnmet: "refuse" }),
      answers: [tagged(`## 1. Customer\n${PROSE}`)],
    });
    expect(summary).toEqual({ way: "none", form: "sections", met: false });
    expect(asked.map(({ way }) => way)).toEqual(["fork", "fork", "direct"]);
    expect(attempts.map(({ way }) => way)).toEqual(["fork", "direct", "in-parts"]);
  });

  test("a question of the builder's check is asked once", async () => {
    const check = (text: string): string => (text.includes("ORD-") ? "ok" : "Name the order.");
    const { summary, asked, text } = await write({
      summary: prose("Who the customer is.", { check }),
      answers: [tagged(PROSE.replace("ORD-1234", "hers")), tagged("The order is ORD-1234.")],
    });
    expect(summary.met).toBe(true);
    expect(asked[1]!.words).toContain("Name the order.");
    expect(text).toMatch(/Friday[\s\S]+ORD-1234/);
  });

  test("a remark in place of a summary is not kept", async () => {
    const { summary, attempts } = await write({ summary: codingSummary(), answers: [tagged("All done."), "Really."] });
    expect(summary).toMatchObject({ way: "none", met: false });
    expect(attempts[0]).toMatchObject({ way: "fork", why: expect.stringContaining("tokens for 8000 tokens") });
  });

  test("a form with a model is not asked for on the cached prompt", async () => {
    const { summary, asked, attempts } = await write({
      summary: prose("All.", { model: "small" }),
      answers: [tagged(PROSE)],
    });
    expect(summary.way).toBe("direct");
    expect(asked.map(({ way }) => way)).toEqual(["direct"]);
    expect(attempts).toEqual([{ way: "fork", why: "another model is to write it: small" }]);
  });

  test("no summary by choice asks nobody, and is no problem", async () => {
    const { summary, asked, problem, attempts } = await write({ summary: { kind: "none" } });
    expect(summary).toEqual({ way: "none", form: "none", met: true });
    expect([asked, attempts, problem]).toEqual([[], [], undefined]);
  });
});

describe("a form that fails", () => {
  const broken = (): never => {
    throw new Error("it is broken");
  };

  test("in its check keeps the summary, and is reported", async () => {
    const { summary, asked, failures, problem } = await write({
      summary: prose("All.", { check: broken }),
      answers: [tagged(PROSE)],
    });
    expect(summary).toEqual({ way: "fork", form: "prose", met: false });
    expect(asked).toHaveLength(1);
    expect(failures).toEqual([{ rule: "summary", where: "check", why: "it threw: it is broken" }]);
    expect(problem).toMatchObject({ reason: "function-failed", because: expect.stringContaining("it is broken") });
  });

  test("in its prompt is asked for in the words of the engine", async () => {
    const { summary, asked, failures } = await write({
      summary: { ...prose("All."), prompt: broken },
      answers: [tagged(PROSE)],
    });
    expect(summary).toMatchObject({ way: "fork", met: false });
    expect(asked[0]!.words).toContain("Summarise this whole conversation.");
    expect(failures).toEqual([{ rule: "summary", where: "prompt", why: "it threw: it is broken" }]);
  });

  test("by returning something else than a verdict keeps the summary", async () => {
    const summary = { ...prose("All."), check: () => Promise.resolve() as never };
    expect(await write({ summary, answers: [tagged(PROSE)] })).toMatchObject({
      summary: { way: "fork", met: false },
      failures: [{ where: "check" }],
    });
  });
});

describe("a summary by the builder's code", () => {
  const own = (write: WriteSummary, otherwise = prose("All.")): Summary => written("own", write, { otherwise });

  test("asks models as it likes, and is checked like any other", async () => {
    const write_: WriteSummary = async ({ fork, direct, transcript }) =>
      `${await fork("One?")} ${await direct(`Two? ${transcript.length}`)} ${PROSE}`;
    const { summary, text, asked } = await write({ summary: own(write_), answers: ["First.", "Second."] });
    expect(summary).toEqual({ way: "function", form: "own", met: true });
    expect(text).toBe(`Summary:\nFirst. Second. ${PROSE}`);
    expect(asked.map(({ way }) => way)).toEqual(["fork", "direct"]);
  });

  test("brings the transcript along where the cached prompt cannot be used", async () => {
    const { asked } = await write({
      summary: own(({ fork }) => fork("One?")),
      noFork: "too large",
      answers: [PROSE],
    });
    expect(asked[0]).toMatchObject({ way: "direct", words: expect.stringMatching(/round 0[\s\S]+One\?$/) });
  });

  test.each<[string, WriteSummary, string]>([
    ["throws", () => Promise.reject(new Error("no key")), "no key"],
    [
      "throws at once",
      () => {
        throw new Error("no key");
      },
      "no key",
    ],
    ["returns 3 MB", async () => "all of it, ".repeat(300_000), "too large"],
    ["returns nothing", async () => "", "has to return a text"],
    ["returns no text", (async () => 7) as never, "returned 7"],
    ["returns an error text", async () => "Error: overloaded", "error-text"],
  ])("that %s is replaced by its form", async (_, write_, why) => {
    const { summary, attempts, failures } = await write({ summary: own(write_), answers: [tagged(PROSE)] });
    expect(summary).toEqual({ way: "fork", form: "own", met: true });
    expect(attempts).toMatchObject([{ way: "function", why: expect.stringContaining(why) }]);
    expect(failures).toMatchObject([{ rule: "summary", where: "write" }]);
  });

  test("that fails without a form leaves no summary", async () => {
    const { summary, problem, asked } = await write({
      summary: written("own", () => Promise.reject(new Error("no key"))),
    });
    expect(summary).toEqual({ way: "none", form: "own", met: false });
    expect(problem).toMatchObject({ reason: "function-failed", because: "function: it threw: no key" });
    expect(asked).toEqual([]);
  });

  test("that hangs is stopped after its time", async () => {
    let stopped = false;
    const hanging: WriteSummary = ({ signal }) => {
      signal.addEventListener("abort", () => {
        stopped = true;
      });
      return new Promise(() => {});
    };
    const { running, clock } = begin({ summary: written("own", hanging, { timeoutMs: 30_000 }) });
    await clock.pass(31_000, running);
    expect((await running).attempts).toEqual([{ way: "function", why: "it wrote nothing in 30 s" }]);
    expect(stopped).toBe(true);
  });
});

describe("the ways", () => {
  test("begin with the provider where its own format is wanted", async () => {
    const block = { kind: "text", text: PROSE } as never;
    const provider = async () => ({ kind: "answer", answer: block }) as const;
    const modelCalls: ModelCalls = { fork: undefined as never, direct: undefined as never, provider };
    const result = await write({ summary: native({ otherwise: prose("All.") }), modelCalls });
    expect(result).toMatchObject({ summary: { way: "provider", form: "native", met: true }, written: { block } });
  });

  test("go on to the form where the provider cannot compact", async () => {
    const { summary, attempts } = await write({
      summary: native({ otherwise: prose("All.") }),
      answers: [tagged(PROSE)],
    });
    expect(summary).toEqual({ way: "fork", form: "native", met: true });
    expect(attempts).toEqual([{ way: "provider", why: "this provider cannot compact on request" }]);
  });

  test.each<[string, CallResult, string]>([
    [
      "no summary",
      { kind: "answer", answer: { text: "I cannot do that.", stop: "end", calls: 0 } },
      "no-usable-summary",
    ],
    ["a failure", { kind: "failed", failure: { kind: "overloaded" } as never, why: "overloaded" }, "provider-error"],
    [
      "a refusal of the prompt",
      { kind: "failed", failure: { kind: "overflow" } as never, why: "long" },
      "prompt-too-long",
    ],
    ["no call left", { kind: "failed", failure: { kind: "no-calls-left" }, why: "8 calls" }, "calls-used-up"],
  ])("end without a summary, and say why: %s", async (_, answer, reason) => {
    const { summary, problem, asked } = await write({ summary: codingSummary(), answers: [answer] });
    expect(summary).toEqual({ way: "none", form: "coding", met: false });
    expect(problem).toMatchObject({ reason });
    expect(asked.length).toBeGreaterThan(1);
  });

  test("stop when the compaction is aborted", async () => {
    const answers = [{ kind: "failed", failure: { kind: "aborted" }, why: "aborted" } as CallResult];
    const { ended, asked } = await write({ summary: codingSummary(), answers });
    expect([ended, asked.length]).toEqual(["aborted", 1]);
  });

  test("drop as many old rounds at once as a transcript is too long", async () => {
    const why = "prompt is too long: 8000 tokens > 3000 maximum";
    const failure = { kind: "overflow", inputTokens: 8_000, limitTokens: 3_000 } as never;
    const { asked } = await write({
      summary: codingSummary(),
      noFork: "refused",
      answers: [{ kind: "failed", failure, why }],
    });
    const roundsIn = (words: string): number => words.split(/round \d+ word/).length - 1;
    expect(roundsIn(asked[0]!.words)).toBe(30);
    // Some 250 tokens each: 20 of them make up for 5,000.
    expect(roundsIn(asked[1]!.words)).toBeLessThanOrEqual(10);
  });

  test.each([
    [2, 9_000],
    [3, 7_500],
  ])("read a transcript for %i calls in as many parts, each with the summary before", async (parts, directTokens) => {
    const rounds = [...ROUNDS, ...ROUNDS.slice(0, 8)];
    const answers = Array.from({ length: parts }, (_, at) => ofCoding(`What part ${at + 1} has to say about this.`));
    const { summary, text, asked, attempts } = await write({
      summary: codingSummary(),
      noFork: "refused",
      rounds,
      directTokens,
      maximumParts: 4,
      answers,
    });
    expect(attempts.map(({ way }) => way)).toEqual(["fork", "direct"]);
    expect(summary).toEqual({ way: "in-parts", form: "coding", met: true });
    expect(text).toContain(`What part ${parts} has to say`);
    expect(asked).toHaveLength(parts);
    expect(asked.flatMap(({ words }) => words.match(/round \d+ (?=word)/g) ?? [])).toHaveLength(rounds.length);
    for (const [index, { words }] of asked.entries()) {
      expect(words.includes("<partial-summary>")).toBe(index > 0);
      if (index > 0) expect(words).toContain(`What part ${index} has to say`);
    }
  });
});
