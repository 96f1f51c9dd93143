/** Pastes of more than this stand in the prompt as one word. */
const LARGE = { lines: 6, characters: 600 };

export function isLargePaste(text: string): boolean {
  return text.length > LARGE.characters || text.split("\n").length > LARGE.lines;
}

/** What stands in the prompt for a large paste. */
export function pasteWord(index: number, text: string): string {
  return `[paste ${index + 1}: ${text.split("\n").length} lines]`;
}

/** What is sent: with the pastes in their places. */
export function withPastes(text: string, pastes: readonly string[]): string {
  return pastes.reduce((said, pasted, index) => said.replace(pasteWord(index, pasted), () => pasted), text);
}
