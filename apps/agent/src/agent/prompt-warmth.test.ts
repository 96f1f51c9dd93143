import { expect, test } from "vitest";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { Person } from "../extension/person.ts";
import { PromptWarmth, pingingWhileAsked } from "./prompt-warmth.ts";

/** A person whose answers the test gives, and what the session was told to wait for. */
function asked() {
  const activities: string[] = [];
  const answers: ((answer: readonly string[]) => void)[] = [];
  const warmth = new PromptWarmth();
  const person = pingingWhileAsked(
    { askUser: () => new Promise((resolve) => void answers.push(resolve)) } as Partial<Person> as Person,
    warmth,
  );
  const keepWarm: AgentSession["provider"]["keepWarm"] = async ({ activity }) => {
    activities.push(activity);
    return { pings: 0, priceUsd: 0, ended: "decided", because: "no pings" };
  };
  warmth.session = { provider: { keepWarm } as AgentSession["provider"] };
  const ask = () => person.askUser({ question: "Which?", options: [], choose: "one" }, new AbortController().signal);
  return { activities, answers, ask, warmth };
}

test("an open question waits for the person, and the tool runs again after the last answer", async () => {
  const { activities, answers, ask } = asked();
  const [first, second] = [ask(), ask()];
  expect(activities).toEqual(["waiting", "waiting"]);
  answers[0]!(["one"]);
  expect(await first).toEqual(["one"]);
  expect(activities).toHaveLength(2);
  answers[1]!(["two"]);
  await second;
  expect(activities).toEqual(["waiting", "waiting", "tool-runs"]);
});

test("a question before the session is open is asked all the same", async () => {
  const { activities, answers, ask, warmth } = asked();
  warmth.session = undefined;
  const question = ask();
  answers[0]!(["yes"]);
  expect(await question).toEqual(["yes"]);
  expect(activities).toEqual([]);
});
