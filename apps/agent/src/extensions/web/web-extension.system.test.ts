import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

test("fetches pages only if the user enables and allows it, and never from this machine", async () => {
  let visits = 0;
  const local = createServer((_, response) => {
    visits++;
    response.end("secret");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void local.close());
  await new Promise((resolve) => local.once("listening", resolve));
  const { port } = local.address() as { readonly port: number };
  const project = temporaryProject();
  const cli = await startCli(project, ({ toolResults, tools }) =>
    toolResults.length > 0 || !tools.includes("WebFetch")
      ? answer("Fine.")
      : callTools(callTool("WebFetch", { url: `http://127.0.0.1:${port}/` })),
  );
  const last = () => sentRequests(cli).at(-1)!;
  const hasTool = () => last().tools.some(({ name }) => name === "WebFetch");

  expect((await cli.run(["-p", "Look it up"])).code).toBe(0);
  expect(hasTool()).toBe(false);

  const denied = await cli.run(["-p", "Look it up", "--web"]);
  expect(denied).toMatchObject({ code: 3, said: expect.stringContaining("--allow 'WebFetch(127.0.0.1)'") });
  expect(hasTool()).toBe(true);

  // Without the option, the tool stays in the list to keep the prompt cache, but is not allowed.
  const closed = await cli.run(["-c", "-p", "Look it up", "--allow", "Network"]);
  expect(closed).toMatchObject({ code: 3, said: expect.stringContaining("deny WebFetch") });
  expect(closed.said).not.toContain("The tools have changed");
  expect(hasTool()).toBe(true);

  mkdirSync(join(project.home, ".palimpsest"), { recursive: true });
  writeFileSync(join(project.home, ".palimpsest/settings.json"), JSON.stringify({ web: "on" }));
  expect(await cli.run(["-p", "Look it up", "--allow", "Network"])).toMatchObject({ code: 0 });
  expect(last().texts.at(-1)).toContain("127.0.0.1, which is no address of the public internet");
  expect(visits).toBe(0);
  expect(cli.refused()).toEqual([]);
});
