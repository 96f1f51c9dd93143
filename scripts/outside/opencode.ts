import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { type ProxyEvent, startProxy } from "@palimpsest/proxy";
import { installOutside } from "./install-outside.ts";

const MODEL = "claude-opus-5-5";
const NAME = `opencode-${process.platform}-${process.arch}`;

/** The real program, behind the proxy: two turns of one conversation are one session in the log, and no byte was changed. */
export async function tryOpencode(_root: string, version: string): Promise<void> {
  const installed = installOutside(NAME, version);
  const service = await serve({ faces: [createAnthropic({ script: () => answer("It is 8080.") })] });
  const base = mkdtempSync(join(tmpdir(), "opencode-"));
  const events: ProxyEvent[] = [];
  const proxy = await startProxy({
    upstreams: { anthropic: service.url },
    folder: join(base, "logs"),
    onEvent: (event) => events.push(event),
  });
  try {
    const model = { limit: { context: 200_000, output: 8_000 }, tool_call: true, reasoning: true };
    const anthropic = {
      options: { baseURL: `${proxy.url}/anthropic/v1`, apiKey: "none" },
      models: { [MODEL]: model },
    };
    const settings = { provider: { anthropic }, model: `anthropic/${MODEL}`, small_model: `anthropic/${MODEL}` };
    writeFileSync(join(base, "opencode.json"), JSON.stringify({ ...settings, share: "disabled", autoupdate: false }));
    const env = {
      PATH: process.env["PATH"],
      HOME: base,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    };
    const program = join(installed, "node_modules", NAME, "bin", "opencode");
    const run = (...args: readonly string[]) => {
      const running = promisify(execFile)(program, ["run", ...args], { cwd: base, env, timeout: 120_000 });
      // It waits for the end of its input before it begins.
      running.child.stdin?.end();
      return running;
    };
    const first = await run("The port is 8080. Remember it.");
    const second = await run("--continue", "Which port?");
    await proxy.settled();
    const { refused, answered } = service.recorder.total();
    const kinds = events.map(({ kind }) => kind).join(" ");
    console.log(
      `opencode ${version}: "${second.stdout.trim()}", ${answered} requests, ${refused} refused; proxy: ${kinds}`,
    );
    if (refused > 0 || !first.stdout.includes("8080")) throw new Error(first.stdout + first.stderr);
  } finally {
    await proxy.close();
    await service.close();
    rmSync(base, { recursive: true, force: true });
  }
}
