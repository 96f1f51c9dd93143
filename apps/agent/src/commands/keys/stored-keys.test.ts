import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { type RunProgram, storedKeys } from "./stored-keys.ts";

const KEY = "sk-ant-0123456789";
const home = (): string => join(temporaryProject().home, ".palimpsest");

/** Simulates the system's keyring tool as its manual describes it. */
function keyringOf(platform: "darwin" | "linux") {
  const kept = new Map<string, string>();
  const seen: string[] = [];
  const run: RunProgram = async (program, args, input) => {
    seen.push([program, ...args].join(" "));
    const account = args.at(-1) === "-w" ? args.at(-2)! : args.at(-1)!;
    const [action] = args;
    if (platform === "darwin" && action === "-i") {
      const [, , , , who, , key] = input.trim().replace(" -U", "").split(" ");
      kept.set(who!, key!);
    } else if (action === "store") kept.set(account, input);
    else if (action === "clear" || action === "delete-generic-password") kept.delete(account);
    else return { exitCode: kept.has(account) ? 0 : 1, out: `${kept.get(account) ?? ""}\n` };
    return { exitCode: 0, out: "" };
  };
  return { run, seen };
}

test.each(["darwin", "linux"] as const)(
  "on %s, stores the key in the keyring without showing it in arguments",
  async (platform) => {
    const { run, seen } = keyringOf(platform);
    const keys = storedKeys({ agentHome: home(), platform, run });
    expect(await keys.read("anthropic")).toBeUndefined();
    expect(await keys.write("anthropic", KEY)).toMatch(/keyring|keychain/);
    expect((await keys.read("anthropic"))?.key).toBe(KEY);
    expect(await keys.read("openai")).toBeUndefined();
    await keys.remove("anthropic");
    expect(await keys.read("anthropic")).toBeUndefined();
    expect(seen.join("\n")).not.toContain(KEY);
  },
);

test.each(["win32", "linux"] as const)(
  "on %s without a keyring, stores the key in a file that only the user can read",
  async (platform) => {
    const agentHome = home();
    const keys = storedKeys({ agentHome, platform, run: async () => ({ exitCode: null, out: "" }) });
    const place = await keys.write("openai", KEY);
    expect(place).toBe(join(agentHome, "keys.json"));
    expect(statSync(place).mode & 0o777).toBe(0o600);
    await keys.write("anthropic", "other");
    expect(JSON.parse(readFileSync(place, "utf8"))).toEqual({ openai: KEY, anthropic: "other" });
    expect((await keys.read("openai"))?.key).toBe(KEY);
    await keys.remove("openai");
    expect(await keys.read("openai")).toBeUndefined();
    expect((await keys.read("anthropic"))?.key).toBe("other");
  },
);

test("leaves no timer that delays the exit if no keyring tool is installed", async () => {
  const agentHome = home();
  vi.stubEnv("PATH", agentHome);
  onTestFinished(() => void vi.unstubAllEnvs());
  const keys = storedKeys({ agentHome, platform: "linux" });
  const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = timers();
  expect(await keys.read("anthropic")).toBeUndefined();
  // Waits for timers of other code in this process.
  for (let turn = 0; timers() > before && turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(timers()).toBeLessThanOrEqual(before);
});
