import { describe, expect, it } from "vitest";
import { inPieces } from "./in-pieces.ts";
import { answer, callTool, callTools, think } from "./script.ts";
import { speak } from "./speak.ts";
import { bytesTokenizer } from "./tokenizer.ts";

const tokenizer = bytesTokenizer({ bytesPerToken: 1 });
const free = { tokenizer, maxOutputTokens: 1_000, thinking: "said" } as const;

describe("what the model says", () => {
  it("counts thinking as part of the output", () => {
    const speech = speak(think("hmm", answer("yes")), free);
    expect(speech).toMatchObject({ outputTokens: 6, thinkingTokens: 3, stop: "end" });
  });

  it("is silent about thoughts on a model that has none", () => {
    const speech = speak(think("hmm", answer("yes")), { ...free, thinking: "left-out" });
    expect(speech).toMatchObject({ outputTokens: 3, thinkingTokens: 0 });
  });

  it("is cut at the limit, and everything after it is lost", () => {
    const speech = speak(
      { words: [{ kind: "text", text: "abcdef" }, callTool("x", {})] },
      { ...free, maxOutputTokens: 4 },
    );
    expect(speech.words).toEqual([{ kind: "text", text: "abcd", tokens: 4, ending: "cut" }]);
    expect(speech).toMatchObject({ outputTokens: 4, stop: "output-limit" });
  });

  it("does not begin a text or a thought for which there is no room", () => {
    const speech = speak(
      { words: [...answer("abcd").words, ...think("hmm", answer("e")).words] },
      { ...free, maxOutputTokens: 4 },
    );
    expect(speech).toMatchObject({
      words: [{ text: "abcd", ending: "complete" }],
      stop: "output-limit",
      ending: "cut",
    });
  });

  it("never exceeds the limit, not even with the overhead of a call", () => {
    const speech = speak(callTools(callTool("read", { path: "a" })), { ...free, maxOutputTokens: 5 });
    expect(speech).toMatchObject({ words: [], outputTokens: 0, stop: "output-limit" });
  });

  it("is not cut through a character", () => {
    const speech = speak(answer("ab😀"), {
      ...free,
      tokenizer: bytesTokenizer({ bytesPerToken: 2 }),
      maxOutputTokens: 2,
    });
    expect(speech.words[0]).toMatchObject({ text: "ab" });
    for (const piece of inPieces("x".repeat(23) + "😀".repeat(30))) expect(piece.isWellFormed()).toBe(true);
  });

  it("ends before the first stop sequence, and names it", () => {
    const said = (text: string, more: object = {}) =>
      speak(
        { words: [...answer(text).words, ...answer("lost").words] },
        { ...free, stopSequences: ["", "END", "STOP"], ...more },
      );
    expect(said("one STOP two END")).toMatchObject({
      words: [{ text: "one " }],
      stop: "stop-sequence",
      stopSequence: "STOP",
    });
    expect(said("one STOP", { maxOutputTokens: 2 })).toMatchObject({ words: [{ text: "on" }], stop: "output-limit" });
    expect(said("one")).toMatchObject({ words: [{ text: "one" }, { text: "lost" }], stop: "end" });
  });

  it("comes in pieces that add up", () => {
    const text = "One two three. ".repeat(20);
    expect(inPieces(text).join("")).toBe(text);
    expect(inPieces("")).toEqual([]);
  });
});
