/** Everything in a request that the model reads as words, in order: instructions and messages of any of the services. */
export function requestWords(request: Readonly<Record<string, unknown>>): string {
  const { system, instructions, systemInstruction, messages, input, contents } = request;
  const texts: string[] = [];
  const waiting: unknown[] = [[system, instructions, systemInstruction, messages ?? input ?? contents]];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const one of next.toReversed()) waiting.push(one);
    else if (typeof next === "object" && next !== null) waiting.push(...Object.values(next).toReversed());
  }
  return texts.join("\n");
}

/** What the model sees of a request: its words, and the newest summary if the service has sealed that into an item. */
export function wordsInView(request: Readonly<Record<string, unknown>>, newestSummary: string): string {
  const isSealed = JSON.stringify(request).includes('"type":"compaction"');
  return `${requestWords(request)}\n${isSealed ? newestSummary : ""}`;
}
