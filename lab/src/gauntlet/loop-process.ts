/** The process of a library's loop. Each line of input is a turn; each line of output says how it ended. Arguments: module, place. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { OpenLoop, Place, TurnEnd } from "./contestant.ts";

const [module = "", place = ""] = process.argv.slice(2);
// Some libraries reject promises that nobody waits for; an application would go on.
process.on("unhandledRejection", (error) => console.error(error));
await work();

async function work(): Promise<void> {
  const { open } = (await import(module)) as { readonly open: OpenLoop };
  const loop = await open(JSON.parse(place) as Place);
  emit({ kind: "ended" });
  for await (const line of createInterface({ input: process.stdin })) {
    emit(
      await loop.turn(JSON.parse(line) as string).then(
        (): TurnEnd => ({ kind: "ended" }),
        (error: unknown): TurnEnd => ({ kind: "failed", message: String(error).slice(0, 500) }),
      ),
    );
  }
  await loop.close();
  process.exit(0);
}

function emit(end: TurnEnd): void {
  writeSync(1, `${JSON.stringify(end)}\n`);
}
