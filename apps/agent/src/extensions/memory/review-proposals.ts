import { factOfTopic, type Memory, type Proposal, textOfTopic, withFact } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { Dialog } from "../../extension/dialog.ts";
import type { CommandContext } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plain, plainLines } from "../../text/line.ts";
import { describeEvidence } from "./memory-text.ts";
import { outcomeText } from "./outcome-text.ts";

export interface ReviewOptions extends Pick<CommandContext, "ask" | "say"> {
  readonly memory: Pick<Memory, "inbox" | "accept" | "reject">;
  readonly store: Pick<Store, "openReader">;
}

/** Shows one proposal after the other with its evidence, until none waits (`done`) or the user leaves. */
export async function reviewProposals({ memory, store, ask, say }: ReviewOptions): Promise<"done" | "left"> {
  const proposals = await memory.inbox();
  for (const [at, proposal] of proposals.entries()) {
    const { slug, draft } = proposal;
    const evidence = await describeEvidence(draft.evidence ?? [], store);
    const place = proposals.length === 1 ? "" : ` (${at + 1} of ${proposals.length})`;
    for (let open = true; open; ) {
      open = false;
      const answer = await ask(proposalDialog(proposal, evidence, place));
      const value = answer.kind === "chosen" ? answer.values[0] : "leave";
      if (value === "leave") return "left";
      if (value === "accept") say(outcomeText(await memory.accept(slug)));
      if (value === "edit") {
        const fact = await askFact(ask, factOfTopic(draft));
        if (fact === undefined) open = true;
        else say(outcomeText(await memory.accept(slug, { changed: withFact(draft, fact) })));
      }
      if (value === "reject") {
        await memory.reject(slug);
        say(`Rejected ${slug}. It is not proposed again.`);
      }
    }
  }
  return "done";
}

function proposalDialog({ slug, draft, by, why }: Proposal, evidence: readonly string[], place: string): Dialog {
  const [fact = "", ...rest] = cleanText(textOfTopic(draft)).split("\n");
  return {
    title: `Save this memory?${place} ${slug} (${draft.type}, by ${by})`,
    body: [
      plain(fact, { weight: "bold" }),
      ...rest.map((line) => plain(line)),
      [],
      ...plainLines(cleanText(evidence.join("\n")), { color: "you" }),
      plain(`It waits for your yes because ${cleanText(why)}`, { color: "quiet" }),
    ],
    options: [
      { value: "accept", label: "Yes, save it" },
      { value: "edit", label: "Yes, in other words" },
      { value: "reject", label: "No, and do not propose it again" },
      { value: "later", label: "Later" },
    ],
  };
}

/** Lets the user change the fact of a memory. Undefined: the user left it as it is. */
export async function askFact(ask: CommandContext["ask"], fact: string): Promise<string | undefined> {
  const answer = await ask({
    title: "The fact, in your words",
    body: [],
    options: [],
    words: "Save",
    draft: fact,
  });
  const text = answer.kind === "words" ? answer.text.trim() : "";
  return text === "" ? undefined : text;
}
