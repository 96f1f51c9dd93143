import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { loadSettings } from "./load-settings.ts";
import { readRule } from "./rule.ts";
import { openSessionSandbox, refusalOfCommands, sessionPolicy, unguardedReason } from "./session-sandbox.ts";

const NONE = { kind: "none", reason: "There is none." } as const;

test("without a sandbox no command runs where one is required, or where the network is denied", () => {
  const deny = [readRule("Network", "deny", "project")!];
  expect(refusalOfCommands(NONE, "required", [])).toMatch(/require a sandbox.*There is none/);
  expect(refusalOfCommands(NONE, "if-present", deny)).toMatch(/denies the network.*There is none/);
  expect(refusalOfCommands(NONE, "if-present", [readRule("Network", "allow", "user")!])).toBeUndefined();
});

test("the policy of a session has what its settings and rules say", async () => {
  const { folder, home } = temporaryProject({ "check.sh": "" });
  const guard = await createPathGuard(folder);
  const agentHome = join(home, ".palimpsest");
  const { settings } = await loadSettings({ guard, agentHome });
  const options = {
    settings: {
      ...settings,
      rules: [readRule("Read(.env)", "deny", "user")!, readRule("Read(/etc/hosts)", "deny", "user")!],
      hooks: [{ event: "Stop", command: "sh check.sh" }],
      allowedHosts: ["registry.npmjs.org"],
      readablePaths: ["~/notes"],
    },
    guard,
    places: { home, agentHome },
    sessionFolder: join(agentHome, "session"),
    environment: { PATH: process.env["PATH"] },
  };
  expect(await sessionPolicy(options)).toMatchObject({
    roots: [folder],
    hidden: [agentHome, join(agentHome, "session"), "/etc/hosts"],
    hiddenPatterns: [".env", "/etc/hosts"],
    readOnly: [join(folder, "check.sh")],
    readable: expect.arrayContaining([join(home, "notes"), join(home, ".cargo/bin")]),
    network: { hosts: ["registry.npmjs.org"] },
  });
  expect((await openSessionSandbox(options)).kind).toBe("bubblewrap");
});

test("in a project that is too large to be looked through, commands are said to be unguarded", async () => {
  const sandbox = (extent: "complete" | "cut") =>
    ({
      kind: "bubblewrap",
      policy: {} as never,
      enclose: () => Promise.reject(new Error()),
      extent: async () => extent,
    }) as const;
  expect(await unguardedReason(sandbox("complete"))).toBeUndefined();
  expect(await unguardedReason(NONE)).toBeUndefined();
  expect(await unguardedReason(sandbox("cut"))).toBe(
    "The project has more than 50,000 folders: protected files that lie deeper are not guarded by the sandbox.",
  );
});
