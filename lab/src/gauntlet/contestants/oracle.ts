import type { OpenLoop } from "../contestant.ts";
import type { CourseFact } from "../course-fact.ts";
import { planCourse } from "../plan-course.ts";
import { openAppendingLoop } from "./do-nothing.ts";

/** Of the window: where the conversation is replaced. */
const FULL = 0.7;

/**
 * Knows the course: when the window is nearly full, it replaces the conversation by a list of all facts that were shown, and by
 * nothing else. No machinery can do that; it shows what would be possible.
 */
export const open: OpenLoop = async (place) => {
  const course = planCourse(place.seed);
  const known: string[] = [];
  let turns = 0;
  const loop = await openAppendingLoop((messages, usedTokens) => {
    if (usedTokens < FULL * place.windowTokens) return messages;
    return [
      { role: "user", content: `What is known so far:\n${known.join("\n")}` },
      { role: "assistant", content: "I know it." },
    ];
  })(place);
  return {
    ...loop,
    async turn(text) {
      await loop.turn(text);
      for (; turns < taskOf(text); turns++) known.push(...course.next().value.facts.map(toLine));
    },
  };
};

function taskOf(text: string): number {
  return Number(/^Task (\d+):/.exec(text)?.[1] ?? 0);
}

function toLine({ fact: { text, exitCode } }: CourseFact): string {
  return exitCode === undefined ? text : `${text} [exit code: ${exitCode}]`;
}
