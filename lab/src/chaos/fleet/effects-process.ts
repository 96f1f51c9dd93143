/**
 * Takes effect for tools, and writes each effect into a file before it answers. It runs beside the workers and outlives them: what is in
 * its file took place, whatever anybody says.
 *
 * Argument: the file. It says its address to whoever started it.
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** One effect, or the attempt to repeat one under its key. */
export interface Effect {
  readonly tool: string;
  readonly key: string;
  readonly mark: string;
  readonly worker: number;
  /** `repeated`: the key was known, so nothing took place. */
  readonly outcome: "done" | "repeated";
}

const [file = ""] = process.argv.slice(2);
const keys = new Set<string>();

const server = createServer(async (incoming, outgoing) => {
  const asked = JSON.parse(await text(incoming)) as Omit<Effect, "outcome">;
  // As a service does that goes by keys. Another one does what it is asked.
  const isRepeated = asked.tool === "act" && keys.has(asked.key);
  keys.add(asked.key);
  const effect: Effect = { ...asked, outcome: isRepeated ? "repeated" : "done" };
  appendFileSync(file, `${JSON.stringify(effect)}\n`);
  outgoing.end();
});
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());
