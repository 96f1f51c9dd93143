import { factOfTopic, type Memory, type Topic, textOfTopic, withFact } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { Dialog } from "../../extension/dialog.ts";
import type { CommandContext } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plain, plainLines } from "../../text/line.ts";
import { dismissedText } from "./dismissed-text.ts";
import { describeEvidence } from "./memory-text.ts";
import { outcomeText } from "./outcome-text.ts";
import { askFact } from "./review-proposals.ts";

export interface BrowseOptions extends Pick<CommandContext, "ask" | "say"> {
  readonly memory: Pick<Memory, "list" | "read" | "readAll" | "uses" | "write" | "forget" | "setRecall">;
  readonly store: Pick<Store, "openReader">;
}

/** Lets the user look at topics and change them, until the user leaves. */
export async function browseTopics(options: BrowseOptions): Promise<void> {
  const { memory, ask } = options;
  for (;;) {
    const topics = await memory.readAll((await memory.list()).map(({ slug }) => slug));
    const uses = await memory.uses();
    const answer = await ask(topicsDialog(topics, (slug) => uses.get(slug)?.count ?? 0));
    const chosen = topics.find(({ slug }) => answer.kind === "chosen" && answer.values[0] === slug);
    if (chosen === undefined) return;
    await openTopic(chosen, options);
  }
}

function topicsDialog(topics: readonly Topic[], used: (slug: string) => number): Dialog {
  return {
    title: `The memory of this project (${topics.length})`,
    body: [],
    shown: "searched",
    options: topics.map(({ slug, type, author, recall, ...texts }) => ({
      value: slug,
      label: cleanText(factOfTopic(texts)).replaceAll("\n", " "),
      about: `${recall === "off" ? "dismissed, " : ""}${type}, by ${author}, used ${used(slug)} times`,
    })),
  };
}

async function openTopic(topic: Topic, { memory, store, ask, say }: BrowseOptions): Promise<void> {
  const { slug, version, recall } = topic;
  const answer = await ask(topicDialog(topic, await describeEvidence(topic.evidence, store)));
  switch (answer.kind === "chosen" ? answer.values[0] : "keep") {
    case "edit": {
      const fact = await askFact(ask, factOfTopic(topic));
      const { name, type } = topic;
      if (fact !== undefined)
        say(outcomeText(await memory.write({ slug, name, type, ...withFact(topic, fact) }, "user", version)));
      return;
    }
    case "recall":
      await memory.setRecall(slug, recall === "on" ? "off" : "on");
      return say(recall === "on" ? dismissedText(slug) : `${slug} is attached to your messages again.`);
    case "forget":
      return say(outcomeText(await memory.forget(slug, "user", "forgotten by the user", version)));
  }
}

function topicDialog({ slug, type, author, recall, ...texts }: Topic, evidence: readonly string[]): Dialog {
  const [fact = "", ...rest] = cleanText(textOfTopic(texts)).split("\n");
  return {
    title: `${slug} (${type}, by ${author})`,
    body: [
      plain(fact, { weight: "bold" }),
      ...rest.map((line) => plain(line)),
      [],
      ...plainLines(cleanText(evidence.join("\n")), { color: "you" }),
    ],
    options: [
      { value: "keep", label: "Keep it as it is" },
      { value: "edit", label: "Say it in other words" },
      recall === "on"
        ? { value: "recall", label: "Do not attach it to my messages any more" }
        : { value: "recall", label: "Attach it to my messages again" },
      { value: "forget", label: "Forget it", about: "its text stays in the history" },
    ],
  };
}
