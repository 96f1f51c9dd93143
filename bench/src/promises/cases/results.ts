import { answer, callTool, callTools, inOrder } from "@palimpsest/provider-simulator";
import type { PromiseCase } from "../promise-case.ts";
import { startAgent } from "../start-agent.ts";

/** Results of tools: what is too large is kept, and can be read again. */
export const resultCases: readonly PromiseCase[] = [
  {
    promise: "a command that prints more than the threshold leaves a preview, and the person is told",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const lines = 9_000 + random.below(3_000);
      const script = inOrder([callTools(callTool("Bash", { command: `seq 1 ${lines}` }))], () => answer("Done."));
      const agent = await startAgent(folder, script);
      try {
        const { code, said } = await agent.run(["-p", "Count", "--mode", "bypass"]);
        holds(code === 0, `the turn ended with ${code}: ${said}`);
        const last = JSON.stringify(agent.exchanges().at(-1)?.body ?? "");
        holds(!last.includes(`${lines - 4_000}`), "the whole result was sent to the model");
        reported(/stored a result/i.test(said), "nothing said that a result was stored");
      } finally {
        await agent.close();
      }
    },
  },
];
