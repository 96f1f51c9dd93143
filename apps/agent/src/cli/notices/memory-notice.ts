import { type EventOf, type Notice, news, problem, type Surface } from "../../commands/text/notice.ts";
import { command, plural } from "./notice-words.ts";

export function extractionNotice(
  { outcome, count: saved, why = "" }: EventOf<"memories-extracted">,
  surface: Surface,
): Notice | undefined {
  switch (outcome) {
    case "extracted":
      return news(
        `Saved ${plural(saved, "memory", "memories")} from the conversation. To see the memory: ${memoryCommand("", surface)}.`,
      );
    case "nothing":
    case "own-writes":
      // The model's own writes were shown as tool calls.
      return undefined;
    case "over-budget":
      return problem(`Stopped saving memories from this session: ${why}.`);
    case "failed":
      return problem(`Could not save memories from this turn: ${why}. The next turn tries again.`);
  }
}

export function waitingNotice({ count }: EventOf<"memories-waiting">, surface: Surface): Notice {
  return news(
    `${plural(count, "memory", "memories")} ${count === 1 ? "waits" : "wait"} for your yes. To review: ${memoryCommand("inbox", surface)}.`,
  );
}

export function dreamNotice(
  { trigger, outcome, changed, why = "" }: EventOf<"dreamed">,
  surface: Surface,
): Notice | undefined {
  // The command that the person typed prints the outcome.
  if (trigger === "manual") return undefined;
  switch (outcome) {
    case "consolidated":
      return news(`Tidied up the memory: ${plural(changed, "change")}. To see them: ${memoryCommand("log", surface)}.`);
    case "nothing":
      // Its start was shown.
      return news("Checked the memory: nothing had to change.");
    case "stopped":
      return undefined;
    case "held":
      return problem(
        `Tidying up the memory would change ${plural(changed, "topic")} and waits for your approval: ${why}. To apply the changes: ${command("dream", surface)} --yes.`,
      );
    case "failed":
      return problem(`Tidying up the memory failed: ${why}. Nothing was changed. The next try is tomorrow.`);
  }
}

function memoryCommand(word: "" | "inbox" | "log", surface: Surface): string {
  // In the terminal, `/memory` begins with what waits.
  if (word === "inbox" && surface === "terminal") return "/memory";
  return `${surface === "terminal" ? "/memory" : "palimpsest memory"} ${word}`.trimEnd();
}
