import { answer, callTool, callTools, inOrder, type Script, summarize } from "@palimpsest/provider-simulator";
import { query, type Session, type Tool, toolResult, user } from "palimpsest";
import { type LibraryWorld, openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { lastBody } from "../request-text.ts";
import { callWhenAsked } from "../scripts.ts";
import { startAgent } from "../start-agent.ts";

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);
const SUMMARY = Array.from({ length: 9 }, (_, at) => `## ${at + 1}. Part\nThe loader was moved in step ${at}.`).join(
  "\n",
);
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1} of the file`).join("\n");
const image = (bytes: Buffer, mediaType = "image/png") =>
  ({ kind: "image", source: { kind: "base64", mediaType, data: bytes.toString("base64") } }) as const;
const jpeg = (size: number): Buffer => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(size)]);

async function say(session: Session, prompt: Parameters<typeof user>[0]) {
  const turn = query(session, { prompt: user(prompt) });
  for (let next = await turn.next(); ; next = await turn.next()) if (next.done === true) return next.value.kind;
}

const refusals = ({ exchanges }: LibraryWorld): number =>
  exchanges().filter(({ outcome }) => outcome.kind === "refused").length;

/** Results that tools bound themselves, images and documents, bytes, what is put back, the plan. */
export const mediaCases: readonly PromiseCase[] = [
  {
    promise: "a result of a tool that says that it is bounded is sent whole, also after the session was opened again",
    side: "library",
    async check({ folder, random, holds }) {
      await using world = await openWorld(
        folder,
        inOrder([callTools(callTool("page", {})), answer("Done."), callTools(callTool("page", {}))]),
      );
      const text = numbered(3_000 + random.below(2_000));
      const tools = [{ name: "page", inputSchema: { type: "object" }, resultSize: "bounded" }] as const;
      const first = await world.open({ id: "s", tools });
      const round = async (session: Session) => {
        await session.append("Read it.");
        const request = await session.prepare();
        const stream = world.anthropic.send(request);
        let next = await stream.next();
        while (next.done !== true) next = await stream.next();
        const { calls } = await session.record(next.value, request);
        await session.append(calls.map(({ id }) => toolResult(id, text)));
        return JSON.stringify(await session.prepare());
      };
      holds((await round(first)).includes(JSON.stringify(text).slice(1, -1)), "the result was not sent whole");
      await first.close();
      const again = await world.open({ id: "s" });
      await say(again, "Go on.");
      holds((await round(again)).split(JSON.stringify(text).slice(1, -1)).length === 3, "after resuming it was not");
    },
  },
  {
    promise: "stale results of a builder's own tools are cleared, those of tools with side effects are not",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const script = callWhenAsked("Fetch", callTool("get_invoice", {}), callTool("pay_invoice", {}));
      await using world = await openWorld(folder, script);
      let nowMs = Date.now();
      const clock = { now: () => nowMs };
      const tools = (["get_invoice", "pay_invoice"] as const).map(
        (name): Tool => ({
          name,
          description: name,
          input: { type: "object" },
          run: () => `${name} ${"row ".repeat(900 + random.below(300))}`,
          sideEffects: name === "pay_invoice" ? "some" : "none",
        }),
      );
      const session = await world.open({ clock, settings: { "clearing.keepNewest": 1, "clearing.byProvider": "off" } });
      for (let at = 0; at < 4; at++) {
        const prompt = `Fetch number ${at}.`;
        for await (const _ of query(session, { tools, prompt }));
      }
      nowMs += 3 * 3_600_000;
      await say(session, "And now?");
      const body = lastBody(world);
      holds(body.includes("result of get_invoice"), "no result of get_invoice was cleared");
      holds(!body.includes("result of pay_invoice"), "a result of pay_invoice was cleared");
      reported(world.emitted("results-cleared").length > 0, "no event told of it");
    },
  },
  {
    promise: "an image that is no image does not stop a session, and the program is told",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, () => answer("I see."));
      const session = await world.open();
      const page = Buffer.from(`<!DOCTYPE html>${"x".repeat(random.below(4_000))}`);
      const ended = await say(session, [{ kind: "text", text: "Look." }, image(page)]);
      holds(ended === "done", `the turn ended as ${ended}`);
      holds(refusals(world) === 0, "the provider had to refuse it");
      reported(world.emitted("media-refused").length > 0, "no event told of it");
    },
  },
  {
    promise: "an image that the provider refuses becomes a stub, the turn goes on, and so do all later ones",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, () => answer("I see."));
      const session = await world.open();
      const broken = PNG.subarray(0, 34 + random.below(PNG.length - 44));
      holds((await say(session, [image(PNG)])) === "done", "a good image was not taken");
      const ended = await say(session, [{ kind: "text", text: "And this?" }, image(broken)]);
      holds(ended === "done", `the turn ended as ${ended}`);
      holds((await say(session, "Go on.")) === "done", "the next turn failed");
      holds(lastBody(world).includes(PNG.toString("base64")), "the good image is gone");
      holds(refusals(world) === 1, "it was sent more than once");
      reported(world.emitted("media-refused", { by: "provider" }).length > 0, "no event");
    },
  },
  {
    promise: "a request with more bytes than the provider takes is never sent: old images are left out",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, () => answer("I see."));
      const session = await world.open();
      for (let at = 0; at < 9; at++)
        await session.append(user([image(jpeg(3_000_000 + random.below(900_000)), "image/jpeg")]));
      holds((await say(session, "What do they show?")) === "done", "the turn failed");
      holds(refusals(world) === 0, "a request was refused");
      const sent = Buffer.byteLength(lastBody(world));
      holds(sent > 10_000_000 && sent < 32_000_000, `the request had ${sent} bytes`);
      reported(world.emitted("media-refused", { by: "request-size" }).length > 0, "no event told of it");
    },
  },
  {
    promise: "a plan that does not fit after a compaction is cut with a mark, and the boundary says so",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, ({ userText }) =>
        userText.includes("nine sections") ? summarize(SUMMARY) : answer(`Done. ${"word ".repeat(500)}`),
      );
      const plan = numbered(40_000 + random.below(9_000));
      const session = await world.open({
        surroundings: { plan: async () => ({ text: plan, path: "/plan.md" }) },
      });
      for (let at = 0; at < 6; at++) await say(session, `Part ${at}: ${"detail ".repeat(900)}`);
      const outcome = await session.compact();
      holds(outcome.kind === "compacted", `the compaction ended as ${outcome.kind}`);
      await say(session, "Go on.");
      holds(lastBody(world).includes("left out here: read them in /plan.md"), "the plan has no mark");
      const [boundary] = await session.history.explain();
      const part = boundary?.compaction?.putBack?.find(({ type }) => type === "plan");
      holds(
        part?.shown === "cut" && part.tokens > 0 && part.tokens < part.ofTokens,
        `on record: ${JSON.stringify(part)}`,
      );
      const restored = world.emitted("files-restored").flatMap(({ parts }) => parts);
      reported(
        restored.some(({ type }) => type === "plan"),
        "no event told of it",
      );
    },
  },
  {
    promise: "a stored result is read with Read by the path in its preview, and not by another session",
    side: "agent",
    async check({ folder, random, holds }) {
      const wanted = 20_000 + random.below(9_000);
      const seen: string[] = [];
      let path = "";
      const script: Script = ({ toolResults, userText }) => {
        seen.push(...toolResults.map(({ text }) => text));
        path ||= /It is in (\S+)/.exec(seen[0] ?? "")?.[1] ?? "";
        if (userText.includes("Count") && seen.length === 0)
          return callTools(callTool("Bash", { command: "seq 1 40000" }));
        return toolResults.length === 0 || seen.length === 1
          ? callTools(callTool("Read", { file_path: path, offset: wanted, limit: 2 }))
          : answer("Done.");
      };
      await using agent = await startAgent(folder, script);
      const { code, said } = await agent.run(["-p", "Count", "--mode", "bypass"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      holds(seen[1]?.includes(`${wanted}\t${wanted}\n`) === true, `Read answered: ${seen[1]?.slice(0, 200)}`);
      await agent.run(["-p", "Look at what another session stored", "--mode", "bypass"]);
      holds(seen[2]?.includes(`\t${wanted}\n`) === false, "another session could read it");
    },
  },
  {
    promise: "a long file is read page by page, every line of it, and no page is stored away",
    side: "agent",
    async check({ folder, random, holds }) {
      const lines = numbered(4_000 + random.below(3_000));
      const pages: string[] = [];
      const script: Script = ({ toolResults }) => {
        pages.push(...toolResults.map(({ text }) => text));
        const next = /Read on with offset (\d+)/.exec(pages.at(-1) ?? "")?.[1];
        if (pages.length > 0 && next === undefined) return answer("Done.");
        return callTools(
          callTool("Read", { file_path: "long.txt", ...(next === undefined ? {} : { offset: Number(next) }) }),
        );
      };
      await using agent = await startAgent(folder, script);
      agent.put("long.txt", lines);
      await agent.run(["-p", "Read it"]);
      const read = pages.flatMap((page) => page.split("\n").filter((line) => !line.startsWith("[")));
      holds(read.map((line) => line.slice(7)).join("\n") === lines, "the pages are not the file");
    },
  },
  {
    promise: "a file that is only called an image does not stop the agent",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      let told = "";
      const script: Script = ({ toolResults }) => {
        told ||= toolResults[0]?.text ?? "";
        return toolResults.length === 0 ? callTools(callTool("Read", { file_path: "shot.png" })) : answer("Done.");
      };
      await using agent = await startAgent(folder, script);
      agent.put("shot.png", `<!DOCTYPE html>${"x".repeat(random.below(900))}`);
      const { code, said } = await agent.run(["-p", "What does it show?"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(told.includes("none that can be shown"), `the model was told: ${told}`);
    },
  },
  {
    promise: "an image that the provider refuses does not stop the agent, and the person is told",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const script: Script = ({ toolResults, request }) =>
        toolResults.length === 0 && !JSON.stringify(request).includes("tool_result")
          ? callTools(callTool("Read", { file_path: "shot.png" }))
          : answer("Done.");
      await using agent = await startAgent(folder, script);
      agent.put("shot.png", PNG.subarray(0, 34 + random.below(PNG.length - 44)));
      const { code, said } = await agent.run(["-p", "What does it show?"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      holds((await agent.run(["-c", "-p", "Go on."])).code === 0, "the next turn failed");
      reported(/left out an image/i.test(said), `the person read: ${said}`);
    },
  },
];
