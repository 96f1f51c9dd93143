import { DEFAULT_LIMITS } from "./limits.ts";
import type { TopicDraft } from "./topic.ts";

type FactTexts = Pick<TopicDraft, "description" | "body">;

/** The fact of a topic: the first line of its body. */
export function factOfTopic({ body, description }: FactTexts): string {
  return body.split("\n", 1)[0]?.trim() || description;
}

/** The texts of a topic with another fact. Reasons and dates below it stay. */
export function withFact({ body }: FactTexts, fact: string): FactTexts {
  const rest = body.split("\n").slice(1).join("\n");
  return { description: descriptionOf(fact), body: rest === "" ? fact : `${fact}\n${rest}` };
}

/** The fact as the index shows it. */
export function descriptionOf(fact: string): string {
  return cutAt(fact, DEFAULT_LIMITS.descriptionCharacters);
}

/** The topic as one text. A description that only repeats the fact, or its beginning, is left out. */
export function textOfTopic(topic: FactTexts): string {
  const { description, body } = topic;
  const begins = description.replace(/…$/u, "");
  return factOfTopic(topic).startsWith(begins) ? body : `${description}\n${body}`;
}

export function cutAt(text: string, mostCharacters: number): string {
  const signs = [...text];
  if (signs.length <= mostCharacters) return text;
  return `${signs
    .slice(0, mostCharacters - 1)
    .join("")
    .trimEnd()}…`;
}
