import { expect, test } from "vitest";
import { toToolServers } from "./open-scope.ts";

const program = (name: string) => ({ name, command: "uv", args: ["run"], env: [{ name: "TOKEN", value: "x" }] });

test("toToolServers converts the editor's servers, with valid and unique names", () => {
  expect(toToolServers([program("db"), program("My Server (2)"), program("my/db"), program("  __  ")])).toMatchObject([
    { name: "db", command: ["uv", "run"], environment: { TOKEN: "x" }, from: "user" },
    { name: "My-Server-2" },
    { name: "my-db" },
    { name: "server" },
  ]);
  expect(toToolServers([program("db"), program("db!")]).map(({ name }) => name)).toEqual(["db", "db-2"]);
  const web = { type: "http" as const, name: "web", url: "https://x.test/mcp", headers: [{ name: "A", value: "b" }] };
  expect(toToolServers([web])).toEqual([{ name: "web", url: "https://x.test/mcp", headers: { A: "b" } }]);
});

test("toToolServers names a server that is not supported", () => {
  const sse = { type: "sse" as const, name: "old", url: "https://x.test", headers: [] };
  expect(() => toToolServers([sse])).toThrow(/old uses SSE.*Use its HTTP address/);
  expect(() => toToolServers([{ type: "http", name: "web", url: "ftp://x", headers: [] }])).toThrow(/server web needs/);
});
