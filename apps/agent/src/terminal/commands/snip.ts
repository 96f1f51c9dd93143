import { readTranscript } from "../../workspace/read-transcript.ts";
import type { ScreenCommand, ScreenContext } from "./screen-command.ts";

export const snip: ScreenCommand = {
  name: "snip",
  takes: "[ENTRY | FROM-TO | undo]",
  about: "remove entries from the context; undo brings them back",
  async open(context) {
    const { words, agent, say } = context;
    if (words === "undo") return undo(context);
    const range = words === "" ? await choose(context) : rangeOf(words);
    if (range === undefined) {
      if (words !== "")
        say("Not an entry number. Examples: /snip 8, /snip 8-12. Ctrl-o shows the numbers.", { color: "warning" });
      return;
    }
    const before = agent.session.view.size().tokens;
    await agent.session.history.snip(range, "Removed by the user");
    say(
      `Removed from the context: ${count(before)} -> ${count(agent.session.view.size().tokens)} tokens. To undo it: /snip undo`,
    );
  },
};

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

type Range = { readonly from: number; readonly to: number };

function rangeOf(words: string): Range | undefined {
  const [, from, to] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(words) ?? [];
  return from === undefined ? undefined : { from: Number(from), to: Number(to ?? from) };
}

async function choose({ agent, project, ask }: ScreenContext): Promise<Range | undefined> {
  const log = (await project.store.openReader(agent.session.id))!;
  const seen = (await readTranscript(log)).filter(({ seen, who }) => seen === "yes" && who !== "boundary");
  const answer = await ask({
    title: "Choose an entry to remove from the context",
    body: [],
    shown: "searched",
    options: seen.toReversed().map(({ entry, who, text }) => ({
      value: String(entry),
      label: `${entry} ${who}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`,
      about: `${text.length} characters`,
    })),
  });
  return answer.kind === "chosen" && answer.values[0] !== undefined ? rangeOf(answer.values[0]) : undefined;
}

async function undo({ agent, project, say }: ScreenContext): Promise<void> {
  const log = (await project.store.openReader(agent.session.id))!;
  const newest = (await readTranscript(log)).findLast(
    ({ who, seen, title }) => who === "taken-out" && seen === "yes" && title.includes("snipped"),
  );
  if (newest === undefined) return say("Nothing to undo: /snip has removed nothing.");
  await agent.session.history.restore(newest.entry, "/snip undo");
  say(`Back in the context: ${newest.title.split(":")[0]}.`);
}
