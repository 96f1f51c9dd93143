import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CommandContext } from "../../extension/slash-command.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { dreamCommand } from "./dreams-extension.ts";

/** Types `/dream`, with changes that wait, and chooses an answer where one is asked for. */
async function typed(words: string, choice: string, held: "held" | "nothing") {
  const heldDream = join(temporaryProject().home, "held-dream.json");
  if (held === "held")
    writeFileSync(heldDream, JSON.stringify([{ kind: "forget", slug: "old-parser", because: "It is\ngone." }]));
  const ran: (readonly string[])[] = [];
  const shown: string[] = [];
  const context: Pick<CommandContext, "words" | "runCommand" | "ask"> = {
    words,
    runCommand: async (_, name, args) => void ran.push([name, ...args]),
    async ask({ title, body }) {
      shown.push(title, JSON.stringify(body));
      return { kind: "chosen", values: [choice] };
    },
  };
  let decisions = 0;
  const { open } = dreamCommand({ places: { heldDream }, onDecision: async () => void decisions++ });
  await open(context as CommandContext);
  return { ran, shown: shown.join("\n"), decisions };
}

test("changes that wait are shown first, and applied or refused as the user decides", async () => {
  const accepted = await typed("", "--yes", "held");
  expect(accepted).toMatchObject({ ran: [["memory", "dream", "--yes"]], decisions: 1 });
  expect(accepted.shown).toMatch(/Apply the changes of the memory \(1\)\?[\s\S]*- forget old-parser: It is gone\./);
  expect((await typed("", "--no", "held")).ran).toEqual([["memory", "dream", "--no"]]);
  expect((await typed("", "later", "held")).ran).toEqual([]);
});

test("where nothing waits, or with an option, the command runs and nobody is asked", async () => {
  expect(await typed("", "--yes", "nothing")).toMatchObject({ ran: [["memory", "dream"]], shown: "" });
  expect(await typed("--dry-run", "--yes", "held")).toMatchObject({
    ran: [["memory", "dream", "--dry-run"]],
    shown: "",
  });
});
