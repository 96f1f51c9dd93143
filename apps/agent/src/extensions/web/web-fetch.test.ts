import { expect, test } from "vitest";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { toPermissionCall } from "../../permissions/permission-call.ts";
import { readRule } from "../../permissions/rule.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { webFetchTool } from "./web-fetch.ts";

test("asks the user, unless a rule or an earlier answer decides", async () => {
  const { folder } = temporaryProject();
  const asked = await toPermissionCall(
    webFetchTool(),
    { url: "https://example.com" },
    { guard: await createPathGuard(folder), home: folder },
  );
  expect(decidePermission("default", [], asked).decision).toBe("ask");
  expect(decidePermission("plan", [], asked).decision).toBe("ask");
  expect(decidePermission("bypass", [], asked).decision).toBe("allow");
  expect(decidePermission("default", [readRule("Network", "allow", "user")!], asked).decision).toBe("allow");
  expect(decidePermission("bypass", [readRule("WebFetch", "deny", "user")!], asked).decision).toBe("deny");
});

test("names the reason for a refusal", async () => {
  const { folder } = temporaryProject();
  const outcome = await call(webFetchTool(), { url: "http://169.254.169.254/latest/meta-data" }, { folder });
  expect(outcome.status).toBe("error");
  expect(await textOf(outcome)).toContain("169.254.169.254, which is no address of the public internet");
});
