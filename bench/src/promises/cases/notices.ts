import {
  answer,
  callTool,
  callTools,
  inOrder,
  overloaded,
  type Reply,
  type Script,
  summarize,
} from "@palimpsest/provider-simulator";
import type { PromiseCase } from "../promise-case.ts";
import { type StartedAgent, startAgent } from "../start-agent.ts";

/** What the person is told: each failure has one line, wherever it happens. */
export const noticeCases: readonly PromiseCase[] = [
  {
    promise: "a hook that fails while the session is opened has one line, and the result has it, too",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const code = 3 + random.below(90);
      await using agent = await startAgent(folder);
      agent.putSettings("settings.json", { hooks: [{ event: "SessionStart", command: `exit ${code}` }] });
      const { out, said } = await agent.run(["-p", "Hello", "--output-format", "json"]);
      const { outcome, notices } = JSON.parse(out);
      holds(outcome === "done", `the turn ended with ${outcome}`);
      const line = `Hook failed (SessionStart: exit ${code})`;
      reported(linesWith(said, line).length === 1, `standard error has the line not once: ${said}`);
      reported(JSON.stringify(notices).includes(line), "the result has no such notice");
    },
  },
  {
    promise: "a hook that fails at a tool has one line, and the turn goes on",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const script = inOrder([callTools(callTool("Read", { file_path: "a.txt" }))], () => answer("Read."));
      await using agent = await startAgent(folder, script);
      agent.put("a.txt", "one\n".repeat(1 + random.below(20)));
      agent.putSettings("settings.json", { hooks: [{ event: "PostToolUse", tools: "Read", command: "exit 9" }] });
      const { code, said } = await agent.run(["-p", "Read it"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(linesWith(said, "Hook failed (PostToolUse: exit 9)").length === 1, `not told once: ${said}`);
    },
  },
  {
    promise: "a result that cannot be stored has one line that says what is lost",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const lines = 15_000 + random.below(5_000);
      const script = inOrder([answer("Ready."), callTools(callTool("Bash", { command: `seq 1 ${lines}` }))], () =>
        answer("Counted."),
      );
      await using agent = await startAgent(folder, script);
      await agent.run(["-p", "Hello"]);
      agent.blockResults();
      const { code, said } = await agent.run(["-c", "-p", "Count", "--mode", "bypass"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(linesWith(said, "Could not store a tool result of").length === 1, `not told once: ${said}`);
      reported(/The model sees (all of it|only its beginning)/.test(said), "it is not said what that means");
    },
  },
  {
    promise: "a result that an agent of the session cannot store has a line with the agent's name",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const name = random.pick(["scout", "counter", "reader"]);
      const script: Script = ({ userText, toolResults }) => {
        if (userText.includes("Count it")) {
          return toolResults.length === 0
            ? callTools(callTool("Bash", { command: "seq 1 20000" }))
            : answer("Counted.");
        }
        if (!userText.includes("Delegate") || toolResults.length > 0) return answer("Done.");
        return callTools(callTool("Agent", { description: "Count", prompt: "Count it", name }));
      };
      await using agent = await startAgent(folder, script);
      await agent.run(["-p", "Hello"]);
      agent.blockResults();
      const { said } = await agent.run(["-c", "-p", "Delegate", "--mode", "bypass"]);
      holds(agent.exchanges().length >= 4, `the agent was not started: ${said}`);
      reported(said.includes(`Agent ${name}: Could not store a tool result of`), `nothing was said of it: ${said}`);
    },
  },
  {
    promise: "a setting that does not exist is told at once, and the next best name with it",
    side: "agent",
    async check({ folder, random, reported }) {
      const name = random.pick(["compaction.autto", "compaction.polisy", "profil"]);
      await using agent = await startAgent(folder);
      agent.putSettings("engine.json", { [name]: "ask" });
      const { out, said } = await agent.run(["-p", "Hello", "--output-format", "json"]);
      reported(linesWith(said, name).length === 1, `not told once: ${said}`);
      reported(/Did you mean/.test(JSON.parse(out).notices.join()), "no name was offered");
    },
  },
  {
    promise: "where compactions are to be asked for, one that is due is told and not made, and the end says what to do",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, reader(LEAST_FILES + random.below(3)));
      agent.putSettings("engine.json", { ...SMALL_WINDOW, "compaction.auto": "ask" });
      const said = await readTables(agent);
      const { kinds } = await agentLog(agent);
      holds(!kinds.includes("boundary"), "something was compacted without a yes");
      reported(linesWith(said, "palimpsest compact").length === 2, `not told once, and at the end: ${said}`);
      reported(/palimpsest compact --session [0-9a-f]+\s*$/.test(said), `the end does not say what to do: ${said}`);
    },
  },
  {
    promise: "the first compaction is announced before it is made: what it saves, how to undo it, the profile",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, reader(LEAST_FILES + random.below(3)));
      agent.putSettings("engine.json", SMALL_WINDOW);
      const said = await readTables(agent);
      const { kinds } = await agentLog(agent);
      holds(kinds.includes("boundary"), `nothing was compacted: ${said}`);
      const announced = said.indexOf("saves ");
      reported(announced >= 0 && announced < said.indexOf("Compacted:"), `it was not announced before: ${said}`);
      reported(
        /palimpsest undo/.test(said) && /palimpsest config/.test(said),
        "it names neither undo nor where to choose the profile",
      );
    },
  },
  {
    promise: "a compaction whose model fails has a line that says why, whatever was done instead",
    side: "agent",
    async check({ folder, random, reported }) {
      const reads = reader(LEAST_FILES + random.below(3));
      const failing: Script = (ask) =>
        ask.userText.includes("nine sections") ? { ...answer(""), fault: overloaded() } : reads(ask);
      await using agent = await startAgent(folder, failing);
      agent.putSettings("engine.json", SMALL_WINDOW);
      const said = await readTables(agent);
      reported(/wrote no summary|Compaction failed|failed \d+ times/.test(said), `nothing was said of it: ${said}`);
    },
  },
  {
    promise: "a compaction that a hook blocks has a line that says so",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, reader(LEAST_FILES + random.below(3)));
      agent.putSettings("engine.json", SMALL_WINDOW);
      agent.putSettings("settings.json", { hooks: [{ event: "PreCompact", command: "echo no >&2; exit 2" }] });
      const said = await readTables(agent);
      const { kinds } = await agentLog(agent);
      holds(!kinds.includes("boundary"), "it was compacted nonetheless");
      reported(said.includes("Not compacted: a hook blocked it"), `nothing was said of it: ${said}`);
    },
  },
  {
    promise: "`context` names the size at which the conversation is really compacted, and the profile",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, reader(LEAST_FILES + random.below(3)));
      agent.putSettings("engine.json", SMALL_WINDOW);
      await agent.run(["-p", "Hello"]);
      const { size } = JSON.parse((await agent.run(["context", "--json"])).out);
      const { out } = await agent.run(["context"]);
      reported(out.includes(size.compaction.atTokens.toLocaleString("en-US")), `the point is not named: ${out}`);
      reported(/profile +balanced/.test(out), "the profile is not named");
      const said = await readTables(agent, ["-c"]);
      const before = Number(/Compacted: ([\d,]+) ->/.exec(said)?.[1]?.replaceAll(",", ""));
      holds(before >= size.compaction.atTokens, `compacted at ${before}, told ${size.compaction.atTokens}`);
    },
  },
  {
    promise: "a profile that is chosen by `config` holds from then on, and moves the point that `context` names",
    side: "agent",
    async check({ folder, holds, reported }) {
      await using agent = await startAgent(folder);
      await agent.run(["-p", "Hello"]);
      const points: number[] = [];
      for (const profile of ["economy", "balanced", "quality"]) {
        const { out } = await agent.run(["config", profile]);
        reported(out.startsWith(`Profile ${profile}.`), `config does not say it: ${out}`);
        const { size } = JSON.parse((await agent.run(["context", "--json"])).out);
        // Nobody has spoken since the session was opened to look at it.
        points.push(size.compaction.thenAtTokens);
      }
      const [economy, balanced, quality] = points as [number, number, number];
      holds(economy < balanced && balanced < quality, `the points are ${points.join(", ")}`);
    },
  },
  {
    promise: "`compact --up-to` leaves what comes behind word for word, and says what it did",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const words = `Keep the number ${1_000 + random.below(9_000)}`;
      await using agent = await startAgent(folder, reader(LEAST_FILES + random.below(3)));
      await readTables(agent);
      await agent.run(["-c", "-p", words]);
      const { entries } = await agentLog(agent);
      const { sequence } = entries.find(({ payload }) => payload.includes(words))!;
      const { out } = await agent.run(["compact", "--up-to", String(sequence)]);
      reported(out.startsWith("Compacted:"), `it is not said what was done: ${out}`);
      await agent.run(["-c", "-p", "And now?"]);
      const last = agent.exchanges().at(-1)?.body ?? "";
      holds(last.includes(words), "the message behind is not there any more");
      holds(last.includes("The tables were read"), "what stood before was not summarized");
    },
  },
];

/** So that a few files are enough: compaction at a small part of the window. */
const SMALL_WINDOW = { "compaction.autoPercent": 4, "compaction.policy": "window" };

/** So many files fill it, and so many there are. */
const LEAST_FILES = 4;
const MAX_FILES = LEAST_FILES + 2;

const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Section\nThe tables were read, and the limit was found in them.`)
  .join("\n");

/** A model that reads one file after the other in the turn that asks for it, and sums up when it is asked to. */
function reader(files = 0): Script {
  let read = 0;
  return ({ userText }): Reply => {
    if (userText.includes("nine sections")) return summarize(SUMMARY);
    if (read >= files || userText.includes("Hello")) return answer("Done.");
    read++;
    return callTools(callTool("Read", { file_path: `table-${read}.txt` }));
  };
}

/** Has the agent read large files until the window is full. */
async function readTables(agent: StartedAgent, args: readonly string[] = []): Promise<string> {
  const rows = Array.from({ length: 900 }, (_, index) => `row ${index + 1} of a table that fills the window`);
  for (let file = 1; file <= MAX_FILES; file++) agent.put(`table-${file}.txt`, `file ${file}\n${rows.join("\n")}`);
  const { said } = await agent.run([...args, "-p", "Read the tables"]);
  return said;
}

interface LoggedEntry {
  readonly sequence: number;
  readonly kind: string;
  readonly payload: string;
}

async function agentLog(agent: StartedAgent): Promise<{ entries: readonly LoggedEntry[]; kinds: readonly string[] }> {
  const { out } = await agent.run(["show", "--json"]);
  const entries = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LoggedEntry);
  return { entries, kinds: entries.map(({ kind }) => kind) };
}

function linesWith(text: string, words: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes(words));
}
