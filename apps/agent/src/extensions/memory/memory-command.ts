import { factOfTopic, type Memory, type Proposal, type Topic, textOfTopic, withFact } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { CommandContext, Dialog, SlashCommand } from "../../extension/slash-command.ts";
import { plain, plainLines } from "../../text/line.ts";
import { cleanText } from "../../text/visible-text.ts";
import { describeEvidence, dismissedText, outcomeText } from "./memory-text.ts";

interface MemoryCommandParts {
  readonly memory: Memory;
  readonly store: Pick<Store, "openReader">;
}

/** `/memory`. @param parts undefined if the settings turn the memory off */
export function memoryCommand(parts: MemoryCommandParts | undefined): SlashCommand {
  return {
    name: "memory",
    takes: "[inbox | list | show SLUG | search WORDS | dismiss SLUG | forget SLUG | log | undo COMMIT]",
    about: "review new memories; show the memory of this project",
    async open(context) {
      const { words, say, runCommand } = context;
      if (parts === undefined)
        return say('The memory is off. To turn it on, set "memory" to "read" or "on" in settings.json.');
      if (words === "") return openMemoryDialogs(parts, context);
      if (words === "inbox") return openInbox(parts, context);
      const args = words.split(/\s+/).filter(Boolean);
      if (args[0] === "serve")
        return say("/memory serve does not work here. Run palimpsest memory serve in a shell.", { color: "warning" });
      await runCommand("Reading the memory", "memory", args);
    },
  };
}

async function openInbox(parts: MemoryCommandParts, context: CommandContext): Promise<void> {
  const waiting = await parts.memory.inbox();
  if (waiting.length === 0) return context.say("No memory waits for your yes.");
  await reviewProposals({ ...parts, ...context });
}

/** What waits comes first, then the topics. */
async function openMemoryDialogs(parts: MemoryCommandParts, context: CommandContext): Promise<void> {
  const { memory } = parts;
  const reviewed = await reviewProposals({ ...parts, ...context });
  if (reviewed === "left") return;
  if ((await memory.list()).length === 0) return context.say("The memory is empty.");
  await browseTopics({ ...parts, ...context });
}

interface BrowseOptions extends Pick<CommandContext, "ask" | "say"> {
  readonly memory: Pick<Memory, "list" | "read" | "readAll" | "uses" | "write" | "forget" | "setRecall">;
  readonly store: Pick<Store, "openReader">;
}

/** Lets the user look at topics and change them, until the user leaves. */
async function browseTopics(options: BrowseOptions): Promise<void> {
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

interface ReviewOptions extends Pick<CommandContext, "ask" | "say"> {
  readonly memory: Pick<Memory, "inbox" | "accept" | "reject">;
  readonly store: Pick<Store, "openReader">;
}

/** Shows one proposal after the other with its evidence, until none waits (`done`) or the user leaves. */
async function reviewProposals({ memory, store, ask, say }: ReviewOptions): Promise<"done" | "left"> {
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
async function askFact(ask: CommandContext["ask"], fact: string): Promise<string | undefined> {
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
