import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { type ProxyEvent, startProxy } from "@palimpsest/proxy";
import { installOpencode, writeOpencodeSettings } from "./install-opencode.ts";
import { tryOpencodePlugin } from "./opencode-plugin.ts";

export async function tryOpencode(root: string, version: string): Promise<void> {
  await tryBehindProxy(version);
  await tryOpencodePlugin(root, version);
}

/** The real program, behind the proxy: two turns of one conversation are one session in the log, and no byte was changed. */
async function tryBehindProxy(version: string): Promise<void> {
  const program = installOpencode(version);
  const service = await serve({ faces: [createAnthropic({ script: () => answer("It is 8080.") })] });
  const base = mkdtempSync(join(tmpdir(), "opencode-"));
  const events: ProxyEvent[] = [];
  const proxy = await startProxy({
    upstreams: { anthropic: service.url },
    folder: join(base, "logs"),
    onEvent: (event) => events.push(event),
  });
  try {
    const env = writeOpencodeSettings(base, { url: `${proxy.url}/anthropic`, windowTokens: 200_000 });
    const run = (...args: readonly string[]) => {
      const running = promisify(execFile)(program, ["run", ...args], { cwd: base, env, timeout: 300_000 });
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
