import { readdirSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { type CommandLine, startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

/** The first address that a program prints. */
function addressOf({ process: child }: CommandLine): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += String(bytes);
      const found = /http:\/\/127\.0\.0\.1:\d+(?=\/)/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(said)));
  });
}

async function ask(url: string): Promise<string> {
  const client = new Anthropic({ apiKey: "sk-secret", baseURL: `${url}/sim`, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hello." }];
  const { content } = await client.messages.create({ model: "claude-sonnet-4-6", max_tokens: 100, messages });
  return JSON.stringify(content);
}

test("proxy forwards requests, writes logs for analyze, and replays recordings", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Hi there."));
  const wrong = await cli.run(["proxy", "--upstream", "x=http://page.example", "--port", "0"]);
  expect(wrong).toMatchObject({ code: 1, said: expect.stringContaining("https://") });
  expect((await cli.run(["proxy", "--mode", "stor"])).said).toContain("Did you mean store?");

  const started = cli.start(["proxy", "--port", "0", "--upstream", `sim=${cli.server.url}`, "--record", "traffic"], {
    input: "open",
  });
  expect(await ask(await addressOf(started))).toContain("Hi there.");
  started.process.kill("SIGTERM");
  const { code, said } = await started.ended;
  expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("1 response, $") });
  expect(said).not.toContain("secret");
  const logs = join(project.home, ".palimpsest", "proxy");
  expect(readdirSync(logs).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  const analyzed = await cli.run(["analyze", logs, "--json"]);
  expect(JSON.parse(analyzed.out)).toMatchObject({ session: { agent: "proxy" }, totals: { responses: 1 } });

  const asked = cli.server.recorder.exchanges.length;
  const replaying = cli.start(["proxy", "--port", "0", "--replay", "traffic"], { input: "open" });
  const address = await addressOf(replaying);
  expect(await ask(address)).toContain("Hi there.");
  const other = await fetch(`${address}/sim/v1/messages`, { method: "POST", body: "{}" });
  expect([other.status, await other.text()]).toEqual([501, expect.stringContaining("is not in traffic")]);
  expect(cli.server.recorder.exchanges).toHaveLength(asked);
  replaying.process.kill("SIGTERM");
  expect((await replaying.ended).code).toBe(0);
});
