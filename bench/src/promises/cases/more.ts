import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { openSession, query, tool, user } from "palimpsest";
import { openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";

/** Edges that belong to several areas at once. */
export const moreCases: readonly PromiseCase[] = [
  {
    promise: "a session of OpenAI's Responses API that was closed goes on where it was, with a result stored away",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const lines = 6_000 + random.below(3_000);
      const script: Script = ({ userText, toolResults }) =>
        userText.includes("Count") && toolResults.length === 0
          ? callTools(callTool("Count", { to: lines }))
          : answer("Done.");
      const world = await openWorld(folder, script);
      const { store, onEvent, openaiResponses: provider } = world;
      const count = tool({
        name: "Count",
        description: "Counts.",
        input: { type: "object" },
        run: ({ to }) => Array.from({ length: Number(to) }, (_, index) => `line ${index}`).join("\n"),
      });
      try {
        const first = await openSession({ store, provider, onEvent, model: "gpt-5.2" });
        for await (const _ of query({ session: first, provider, tools: [count], prompt: user("Count") }));
        await first.close();
        reported(
          world.events.some(({ kind }) => kind === "result-stored"),
          "no event told of the stored result",
        );
        const second = await openSession({ store, provider, onEvent, model: "gpt-5.2", id: first.id });
        for await (const _ of query({ session: second, provider, tools: [count], prompt: user("And now?") }));
        await second.close();
        const [before, after] = world
          .exchanges()
          .slice(-2)
          .map(({ body }) => JSON.stringify((JSON.parse(body) as { input: readonly unknown[] }).input));
        holds(
          after?.startsWith(before?.slice(0, -1) ?? "-") ?? false,
          "the request does not begin with the one before",
        );
        holds(!after?.includes(`line ${lines - 2_000}`), "the whole result was sent");
      } finally {
        await world.close();
      }
    },
  },
];
