import { asObject, type JsonObject } from "palimpsest/schema";

/** Reads the data of server-sent events that are objects of JSON. Whatever else is among them is passed over. */
export function readEvents(text: string): readonly JsonObject[] {
  const events: JsonObject[] = [];
  for (const block of text.split(/\r?\n\r?\n/)) {
    const data = block
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trimStart())
      .join("\n");
    if (!data.startsWith("{")) continue;
    try {
      const event = asObject(JSON.parse(data));
      if (event !== undefined) events.push(event);
    } catch {
      // The last event of a stream that was cut.
    }
  }
  return events;
}
