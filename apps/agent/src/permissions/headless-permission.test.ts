import { expect, test } from "vitest";
import { idleBash } from "../testing/idle-bash.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { headlessPermission } from "./headless-permission.ts";
import { readRule } from "./rule.ts";

test("what was denied is told once, with the rules that would allow it", async () => {
  const { folder, home } = temporaryProject();
  const { permission, askHost, takeDenied } = headlessPermission({
    tools: new Map([["Bash", idleBash]]),
    guard: await createPathGuard(folder),
    home,
    rules: [readRule("Bash(rm *)", "deny", "user")!],
    mode: () => "default",
  });
  const context = { sessionId: "s", signal: new AbortController().signal };
  const wanted = (command: string) => ({
    call: { kind: "tool_call", id: "1", name: "Bash", input: {} } as const,
    input: { command },
  });
  expect(await permission(wanted("rm -r x"), context)).toMatchObject({ kind: "deny" });
  expect(await permission(wanted("npm test"), context)).toMatchObject({ kind: "ask" });
  expect(await askHost(wanted("npm test"), context)).toMatchObject({ kind: "deny" });
  const denied = takeDenied();
  expect(denied).toMatchObject([
    { tool: "Bash", input: { command: "rm -r x" }, allowedBy: [] },
    { tool: "Bash", input: { command: "npm test" } },
  ]);
  expect(denied[1]!.allowedBy.map((text) => readRule(text, "allow", "command line")?.tool)).toEqual(["Bash"]);
  expect(takeDenied()).toEqual([]);
});
