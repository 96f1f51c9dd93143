import { type EventOf, type Notice, news, problem, type Surface } from "./notice.ts";
import { command, plural } from "./notice-words.ts";

export function extractionNotice(
  { outcome, count: saved, why = "" }: EventOf<"memories-extracted">,
  surface: Surface,
): Notice | undefined {
  switch (outcome) {
    case "extracted":
      return news(`Remembered ${plural(saved, "thing")} from the conversation. See ${memoryCommand("", surface)}.`);
    case "nothing":
    case "own-writes":
      // What the model wrote by itself was shown when it did.
      return undefined;
    case "over-budget":
      return problem(`No longer looking for memories: ${why}.`);
    case "failed":
      return problem(`Could not look for memories in this turn: ${why}. The next turn tries again.`);
  }
}

export function waitingNotice({ count }: EventOf<"memories-waiting">, surface: Surface): Notice {
  return news(
    `${plural(count, "memory", "memories")} ${count === 1 ? "waits" : "wait"} for your yes. See ${memoryCommand("inbox", surface)}.`,
  );
}

export function dreamNotice(
  { trigger, outcome, changed, why = "" }: EventOf<"dreamed">,
  surface: Surface,
): Notice | undefined {
  // Whoever asked for it is shown what came of it.
  if (trigger === "manual") return undefined;
  switch (outcome) {
    case "consolidated":
      return news(`The memory was tidied up: ${plural(changed, "change")}. See ${memoryCommand("log", surface)}.`);
    case "nothing":
      // Its beginning was told.
      return news("The memory was looked through: nothing had to change.");
    case "stopped":
      return undefined;
    case "held":
      return problem(
        `Tidying up the memory would change ${plural(changed, "topic")}, so it waits for your yes: ${command("dream", surface)} --yes. Nothing was changed yet: ${why}.`,
      );
    case "failed":
      return problem(`Tidying up the memory failed: ${why}. Nothing was changed; it is tried again tomorrow.`);
  }
}

function memoryCommand(word: "" | "inbox" | "log", surface: Surface): string {
  return `${surface === "terminal" ? "/memory" : "palimpsest memory"} ${word}`.trimEnd();
}
