/** Parses the input of a call. Returns the text itself if it is not valid JSON. */
export function parseInput(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
