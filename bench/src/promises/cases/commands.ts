import { join } from "node:path";
import { answer, callTool, callTools, inOrder, type Script } from "@palimpsest/provider-simulator";
import type { PromiseCase } from "../promise-case.ts";
import { conversations } from "../request-text.ts";
import { callWhenAsked, tellAtLength } from "../scripts.ts";
import { startAgent } from "../start-agent.ts";

/** Tools and commands of the agent at their edges. */
export const commandCases: readonly PromiseCase[] = [
  {
    promise: "a line that is longer than an answer can be is read on from a character, and Read says how",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const long = `${"x".repeat(60_000 + random.below(9_000))}THE-END`;
      const script = inOrder(
        [
          callTools(callTool("Read", { file_path: "long.txt" })),
          callTools(callTool("Read", { file_path: "long.txt", offset: 1, character: long.length - 20 })),
        ],
        () => answer("Done."),
      );
      await using agent = await startAgent(folder, script);
      agent.put("long.txt", long);
      const { code, said } = await agent.run(["-p", "Read it"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      const [, first = "", second = ""] = conversations(agent);
      reported(/character/.test(first), "nothing says where to read on");
      holds(second.includes("THE-END"), "the end of the line cannot be read");
    },
  },
  {
    promise: "the model reads a stored result of its session with Read, and cannot change it",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const count = 20_000 + random.below(5_000);
      let path = "";
      const script: Script = (ask) => {
        path ||= /It is in (\S+?\.txt)/.exec(ask.toolResults.at(-1)?.text ?? "")?.[1] ?? "";
        if (ask.turn === 0) return callTools(callTool("Bash", { command: `seq 1 ${count}` }));
        if (ask.turn === 1) return callTools(callTool("Read", { file_path: path, offset: count - 3 }));
        return ask.turn === 2 ? callTools(callTool("Write", { file_path: path, content: "gone" })) : answer("Done.");
      };
      await using agent = await startAgent(folder, script);
      await agent.run(["-p", "Count", "--mode", "bypass"]);
      const results = conversations(agent);
      holds(path !== "", "the preview names no file");
      holds(results[2]?.includes(`${count - 1}`) ?? false, "the end of the result cannot be read");
      reported(
        /outside|not allowed|read-only|cannot/i.test(results[3]?.slice(-600) ?? ""),
        "writing to it was not refused",
      );
    },
  },
  {
    promise: "config chooses a profile for good, shows what it sets, and refuses one that there is not",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const profile = ["quality", "economy"][random.below(2)]!;
      await using agent = await startAgent(folder);
      const chosen = await agent.run(["config", profile]);
      holds(chosen.code === 0, `config ended with ${chosen.code}: ${chosen.said}`);
      const shown = await agent.run(["config", "--json"]);
      holds((JSON.parse(shown.out) as { profile: string }).profile === profile, "it was not kept");
      const wrong = await agent.run(["config", "thrifty"]);
      holds(wrong.code !== 0, "a profile that there is not was taken");
      reported(/quality.*balanced.*economy/.test(wrong.said), `it does not say which there are: ${wrong.said}`);
    },
  },
  ...(["openai", "openai-chat"] as const).map(
    (word): PromiseCase => ({
      promise: `with --provider ${word} the agent stores a large result, says so, and goes on with --continue`,
      side: "agent",
      async check({ folder, random, holds, reported }) {
        const count = 12_000 + random.below(3_000);
        const script = callWhenAsked("Count", callTool("Bash", { command: `seq 1 ${count}` }));
        await using agent = await startAgent(folder, script);
        const environment = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${agent.url}/v1`, ANTHROPIC_API_KEY: "" };
        const first = await agent.run(["-p", "Count", "--mode", "bypass", "--provider", word], environment);
        holds(first.code === 0, `the turn ended with ${first.code}: ${first.said}`);
        reported(/stored a tool result/i.test(first.said), "nothing said that a result was stored");
        const second = await agent.run(["--continue", "-p", "And now?"], environment);
        holds(second.code === 0, `the second turn ended with ${second.code}: ${second.said}`);
        const [before = "-", after = ""] = conversations(agent).slice(-2);
        holds(after.startsWith(before.slice(0, -1)), "the second turn does not go on from the first");
      },
    }),
  ),
  {
    promise: "an answer that is interrupted by Ctrl+C is kept, and the next turn goes on from it",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, tellAtLength(80 + random.below(40)));
      const child = agent.start(["-p", "Tell me.", "--output-format", "stream-json"]);
      child.stdin.end();
      const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += String(chunk);
        if (out.includes('"kind":"text"') && !child.killed) child.kill("SIGINT");
      });
      const code = await closed;
      holds(code === 130, `it ended with ${code}`);
      reported(out.includes("answer-interrupted"), "no event told of the interruption");
      await agent.run(["--continue", "-p", "Go on."]);
      holds(conversations(agent).at(-1)!.includes("word0"), "what was said is gone");
    },
  },
  {
    promise: "what fills the context, and where it is compacted, is told by context, in text and as JSON",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder);
      agent.put(join("docs", "a.md"), "x".repeat(1_000 + random.below(1_000)));
      await agent.run(["-p", "Hello."]);
      const { code, out } = await agent.run(["context", "--json"]);
      holds(code === 0, `context ended with ${code}`);
      holds(Number((JSON.parse(out) as { tokens?: number }).tokens ?? 0) > 0 || /tokens/.test(out), `it says: ${out}`);
      reported(/compact/i.test((await agent.run(["context"])).out), "it does not say where it is compacted");
    },
  },
];
