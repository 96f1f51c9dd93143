import { answer, type Reply, type Script } from "@palimpsest/provider-simulator";
import type { Session, SessionEvent } from "palimpsest";
import { type LibraryWorld, type OpenOptions, openWorld } from "./library-world.ts";

/** Of a message: enough for a few of them to reach a point, whatever is drawn. */
const WORDS = 6_000;
const SECTIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
  (number) => `## ${number}. Title\nThe loader was renamed, and part ${number} of it was tested twice.`,
);
export const SUMMARY: Reply = answer(
  `<analysis>Going through it.</analysis>\n<summary>\n${SECTIONS.join("\n")}\n</summary>`,
);
export const REFUSALS: readonly Reply[] = [
  answer("I'm sorry, but I can't help with that."),
  answer(" "),
  answer("<analysis>Only thoughts.</analysis>"),
];
/** From 20,000 tokens on, whatever the prices are. */
export const EARLY = { "compaction.economicFromTokens": 20_000, "compaction.horizonRequests": 1_000 };

export interface Conversation extends LibraryWorld {
  /** What the model answers when it is asked for a summary, and how often it was. */
  readonly model: { summary: Reply; summaries: number };
  session: Session;
  /** @returns the messages that were sent, as text */
  say(words: string): Promise<string>;
  reopen(options?: OpenOptions): Promise<void>;
  /** How many compactions are in the log. */
  boundaries(): Promise<number>;
}

/** A builder's conversation with a model whose summaries are what the test says. */
export async function converse(folder: string, first: OpenOptions = {}): Promise<Conversation> {
  const model = { summary: SUMMARY, summaries: 0 };
  const script: Script = ({ userText }) => {
    if (!userText.includes("nine sections")) return answer("Done.");
    model.summaries++;
    return model.summary;
  };
  const world = await openWorld(folder, script);
  const open = (options: OpenOptions = {}) => world.open({ id: "s", settings: EARLY, ...first, ...options });
  const talk = { ...world, model, session: await open(), say, reopen, boundaries };
  async function say(words: string): Promise<string> {
    await talk.session.append(words);
    const request = await talk.session.prepare();
    const stream = world.anthropic.send(request);
    let step = await stream.next();
    while (step.done !== true) step = await stream.next();
    await talk.session.record(step.value, request);
    return JSON.stringify(request.messages);
  }
  async function reopen(options: OpenOptions = {}): Promise<void> {
    await talk.session.close();
    talk.session = await open(options);
  }
  async function boundaries(): Promise<number> {
    return (await talk.session.history.explain()).length;
  }
  return talk;
}

export const about = (name: string, words: number = WORDS): string => `About ${name}: ${`${name} `.repeat(words)}`;

/** Speaks until an event of the kind was emitted. */
export async function sayUntil(talk: Conversation, kind: SessionEvent["kind"], times = 1): Promise<void> {
  for (let part = 0; part < 60 && talk.emitted(kind).length < times; part++) await talk.say(about(`part${part}`));
}
