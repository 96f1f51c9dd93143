import { expect, test } from "vitest";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { createOpenAiResponses } from "./openai/responses/responses.ts";
import { type Ask, answer, inOrder, type Script } from "./script.ts";

const large = "x".repeat(210_000);
const user = (content: string) => [{ role: "user", content }];

/** The same three calls: a summary on demand, an answer after a summary at the threshold, a plain answer. */
const FACES: Record<string, (script: Script) => (() => unknown)[]> = {
  Anthropic: (script) => {
    const anthropic = createAnthropic({ script });
    const base = { model: "claude-opus-5-5", max_tokens: 100 };
    const edits = [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }];
    return [
      () =>
        anthropic.answer(
          { ...base, messages: user("Go"), compaction: { type: "summarize" } },
          { betas: ["compact-2026-09-04"] },
        ),
      () =>
        anthropic.answer(
          { ...base, messages: user(large), context_management: { edits } },
          { betas: ["compact-2026-01-12"] },
        ),
      () => anthropic.answer({ ...base, messages: user("Go") }),
    ];
  },
  "OpenAI Responses": (script) => {
    const openAi = createOpenAiResponses({ script });
    const model = "gpt-6.1-sol";
    const context_management = [{ type: "compaction", compact_threshold: 50_000 }];
    return [
      () => openAi.compact({ model, input: "Go" }),
      () => openAi.answer({ model, input: large, context_management }),
      () => openAi.answer({ model, input: "Go" }),
    ];
  },
};

test.each(Object.entries(FACES))("%s counts answers only, so that one script plays on every face", (_, face) => {
  const asked: Pick<Ask, "purpose" | "turn">[] = [];
  const said: string[] = [];
  const ordered = inOrder([answer("one"), answer("two")]);
  const calls = face((ask) => {
    asked.push({ purpose: ask.purpose, turn: ask.turn });
    const reply = ask.purpose === "compaction" ? answer("Sum.") : ordered(ask);
    const [words] = reply.words;
    if (words?.kind === "text") said.push(words.text);
    return reply;
  });
  for (const call of calls) expect(call()).toMatchObject({ kind: "answered" });
  expect(asked).toEqual([
    { purpose: "compaction", turn: 0 },
    { purpose: "compaction", turn: 0 },
    { purpose: "answer", turn: 0 },
    { purpose: "answer", turn: 1 },
  ]);
  expect(said).toEqual(["Sum.", "Sum.", "one", "two"]);
});

test("a script that throws has not answered: its turn comes again", () => {
  const throwing = (): { script: Script; turns: number[] } => {
    const turns: number[] = [];
    const script: Script = ({ turn }) => {
      turns.push(turn);
      if (turns.length === 1) throw new Error("not yet");
      return answer("Now.");
    };
    return { script, turns };
  };
  const faces: ((script: Script) => () => unknown)[] = [
    (script) => FACES["Anthropic"]!(script)[2]!,
    (script) => FACES["OpenAI Responses"]!(script)[2]!,
    (script) => {
      const chat = createOpenAiChat({ script });
      return () => chat.answer({ model: "gpt-6.1-sol", messages: user("Go") });
    },
  ];
  for (const face of faces) {
    const { script, turns } = throwing();
    const call = face(script);
    expect(call).toThrow("not yet");
    expect([call(), call()]).toMatchObject([{ kind: "answered" }, { kind: "answered" }]);
    expect(turns).toEqual([0, 0, 1]);
  }
});
