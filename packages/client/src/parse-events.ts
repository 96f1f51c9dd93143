/** One server-sent event. */
export interface ParsedEvent {
  readonly id?: string;
  readonly name: string;
  readonly data: string;
}

/** Reads server-sent events from pieces of text, wherever they are cut. */
export function eventParser(): (piece: string) => readonly ParsedEvent[] {
  let rest = "";
  return (piece) => {
    rest += piece;
    // A carriage return at the end may be the first half of a line break.
    const held = rest.endsWith("\r") ? "\r" : "";
    const text = rest.slice(0, rest.length - held.length).replaceAll(/\r\n?/g, "\n");
    const blocks = text.split("\n\n");
    rest = blocks.pop()! + held;
    return blocks.flatMap(parseBlock);
  };
}

function parseBlock(block: string): readonly ParsedEvent[] {
  const fields = block.split("\n").flatMap((line): [string, string][] => {
    const at = line.indexOf(":");
    // Lines that begin with a colon are comments.
    if (at === 0 || line === "") return [];
    return at < 0 ? [[line, ""]] : [[line.slice(0, at), line.slice(at + 1).replace(/^ /, "")]];
  });
  const lastOf = (name: string): string | undefined => fields.findLast(([field]) => field === name)?.[1];
  const data = fields.filter(([field]) => field === "data").map(([, value]) => value);
  if (data.length === 0) return [];
  const id = lastOf("id");
  const event = { name: lastOf("event") ?? "message", data: data.join("\n") };
  return [id === undefined ? event : { ...event, id }];
}
