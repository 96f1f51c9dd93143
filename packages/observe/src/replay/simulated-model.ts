import { type Ask, answer, type Reply, type Script } from "@palimpsest/provider-simulator";
import { CODING_SECTIONS } from "palimpsest/inspect";
import { factsOf, type UsedFact } from "./facts.ts";
import type { RecordedSizes } from "./fit-sizes.ts";
import { factLines, factsToKeep, prose, SUMMARY_TOKENS } from "./simulated-summary.ts";
import { type WireBlock, wordsOf } from "./wire-words.ts";

export interface SimulatedModel {
  readonly script: Script;
  /** The next answer in the conversation. A call without it is about the conversation, and so is one that asks for a summary. */
  next(reply: Reply): void;
}

export interface SimulatedModelOptions {
  readonly cwd: string | undefined;
  readonly sizes: RecordedSizes;
}

/** A call of the engine whose prompt has these words updates the notes. Its other calls are about summaries. */
export const ASKS_FOR_NOTES = "<session-notes>";
/** An update of notes writes what always changes, and a share of what is new. */
const NOTES_TOKENS = { least: 800, share: 0.02 };

/** A model that repeats the recorded answers, and that writes summaries and notes of typical quality. */
export function simulatedModel({ cwd, sizes }: SimulatedModelOptions): SimulatedModel {
  const known = new WeakMap<object, readonly UsedFact[]>();
  let waiting: Reply | undefined;
  let notedTokens = 0;

  /** The facts of each block, without the words that ask for the summary. */
  function factsInView({ request }: Ask): (readonly UsedFact[])[] {
    const messages = request["messages"] as readonly { readonly content: readonly WireBlock[] }[];
    return messages.slice(0, -1).flatMap(({ content }) =>
      content.map((block) => {
        const facts = known.get(block) ?? [...factsOf([toBlock(block)], { cwd })];
        known.set(block, facts);
        return facts;
      }),
    );
  }

  const bytesOf = (tokens: number): number => tokens * sizes.bytesPerToken;

  function summarize(ask: Ask): Reply {
    const { summary, scratchpad } = SUMMARY_TOKENS;
    const lines = factLines(factsToKeep(factsInView(ask), summary));
    const rest = prose((bytesOf(summary) - lines.length) / SECTIONS.length);
    const sections = SECTIONS.map((title, index) =>
      [`## ${index + 1}. ${title}`, rest, ...(index === FILES_SECTION ? [lines] : [])].join("\n"),
    );
    return answer(
      `<analysis>\n${prose(bytesOf(scratchpad))}\n</analysis>\n<summary>\n${sections.join("\n\n")}\n</summary>`,
    );
  }

  function takeNotes(ask: Ask): Reply {
    const tokens = NOTES_TOKENS.least + NOTES_TOKENS.share * Math.max(0, ask.inputTokens - notedTokens);
    notedTokens = ask.inputTokens;
    const lines = factLines(factsToKeep(factsInView(ask), SUMMARY_TOKENS.summary));
    const section = (heading: string, text: string): string =>
      `<notes-section heading="${heading}">\n${text}\n</notes-section>`;
    const state = prose(bytesOf(tokens) - lines.length);
    return answer(
      `<session-notes>\n${section("Current state", state)}\n${section("Files and functions", lines)}\n</session-notes>`,
    );
  }

  return {
    script(ask) {
      const reply = ask.purpose === "summary" ? undefined : waiting;
      if (reply !== undefined) waiting = undefined;
      return reply ?? (ask.userText.includes(ASKS_FOR_NOTES) ? takeNotes(ask) : summarize(ask));
    },
    next(reply) {
      waiting = reply;
    },
  };
}

const SECTIONS = Object.keys(CODING_SECTIONS);
const FILES_SECTION = 2;

/** A block of a request in the engine's words, as far as it has facts. */
function toBlock(block: WireBlock): Parameters<typeof factsOf>[0][number] {
  if (block.type !== "tool_use") return { kind: "text", text: wordsOf(block) };
  return { kind: "tool_call", id: "", name: String(block["name"]), input: block["input"] };
}
