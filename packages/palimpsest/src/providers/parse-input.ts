/** The input of a call as the value that the model wrote; what is no JSON stays the text. */
export function parseInput(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
