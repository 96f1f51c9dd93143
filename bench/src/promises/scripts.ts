import { answer, callTools, type Script, stallStream, type Words } from "@palimpsest/provider-simulator";

/** Answers a message that has the word in it by calls, and everything else, their results included, by "Done.". */
export function callWhenAsked(word: string, ...calls: readonly Words[]): Script {
  return ({ userText, toolResults }) =>
    userText.includes(word) && toolResults.length === 0 ? callTools(...calls) : answer("Done.");
}

/** Answers "Tell me." by so many words (word0, word1, ...), of which a few come and then nothing more. */
export function tellAtLength(count: number): Script {
  const words = Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
  return ({ userText }) =>
    userText.includes("Tell") ? { ...answer(words), fault: stallStream(6, 600_000) } : answer("Done.");
}
