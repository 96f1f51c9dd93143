import { answer, callTools, type Script, summarize } from "@palimpsest/provider-simulator";
import type { Task } from "./tasks.ts";

const SUMMARY = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Section\nFunctions for shops are added one after the other, each with its check.`,
).join("\n");

/**
 * A model that does what a task says, step by step. It goes by the results that it is shown; what a compaction has folded it
 * takes for done. It outlives every process of the agent, as a real one does.
 */
export function createModelScript(tasks: readonly Task[]): Script {
  const called = new Map<number, number>();
  return ({ purpose, userText, toolResults, request, turn }) => {
    if (purpose === "summary") return summarize(SUMMARY);
    if (userText.includes("<session-notes>")) return answer("<session-notes>\n</session-notes>");
    const number = newestTask(request["messages"]);
    const { steps, says } = tasks[number - 1]!;
    const next = nextStep(toolResults.at(-1)) ?? (called.get(number) ?? -1) + 1;
    const step = steps[next];
    if (step === undefined) return answer(says);
    called.set(number, next);
    const { tool: name, input } = step;
    return callTools({ kind: "tool-call", id: `call_${next}_of_answer_${turn}`, name, input });
  };
}

/** The step after the one that was answered; the same, if nobody knows what became of it. */
function nextStep(last: { readonly callId: string; readonly text: string } | undefined): number | undefined {
  if (last === undefined) return undefined;
  const step = Number(last.callId.split("_")[1]);
  return last.text.includes("It may have run") ? step : step + 1;
}

/** Tasks are numbered: of those that the user has spoken of, the newest has the largest number. */
function newestTask(messages: unknown): number {
  const said = JSON.stringify((messages as readonly { readonly role: string }[]).filter(({ role }) => role === "user"));
  return Math.max(...Array.from(said.matchAll(/Task (\d+):/g), ([, number]) => Number(number)));
}
