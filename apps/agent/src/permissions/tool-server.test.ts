import { expect, test } from "vitest";
import { readToolServer, serverText } from "./program-setting.ts";

test("a server is a command or an address", () => {
  const program = readToolServer("files", { command: ["node", "x.js"], environment: { KEY: "secret" } });
  const service = readToolServer("web-1", { url: "https://example.com/mcp", headers: { authorization: "secret" } });
  expect([program, service].map((server) => (typeof server === "string" ? server : serverText(server)))).toEqual([
    ...["server files: node x.js", "server web-1: https://example.com/mcp"],
  ]);
});

test.each([
  ["a__b", { command: ["x"] }],
  ["a_", { command: ["x"] }],
  ["", { command: ["x"] }],
  ["a b", { command: ["x"] }],
  ["x".repeat(32), { command: ["x"] }],
  ["a", { command: [] }],
  ["a", { command: "x" }],
  ["a", { command: ["x"], environment: { A: 1 } }],
  ["a", { url: "file:///etc/passwd" }],
  ["a", { url: "nowhere" }],
  ["a", { url: "http://x", headers: ["a"] }],
  ["a", null],
])("%j as %j is none, and it is said why", (name, value) => {
  expect(readToolServer(name, value)).toEqual(expect.any(String));
});

test.each(["a", "a-b", "a-", "a_b", "A9", "x".repeat(31)])("%s is the name of a server", (name) => {
  expect(readToolServer(name, { url: "http://x" })).toEqual({ name, url: "http://x" });
});

test("what a server is given is kept, and a wish that is not granted is named", () => {
  const said: string[] = [];
  const read = (value: unknown, from?: "user") => readToolServer("a", value, from, (problem) => said.push(problem));
  const program = { command: ["x", "y"], environment: { A: "1" }, hosts: ["h.example"], project: "write" };
  expect(read(program)).toEqual({ name: "a", from: "project", ...program });
  expect(read({ command: ["x"], project: "all" })).toEqual({ name: "a", from: "project", command: ["x"] });
  expect(read({ command: ["x"], sandbox: "off" }, "user")).toMatchObject({ from: "user", sandbox: "off" });
  expect(said).toEqual([]);
  expect(read({ command: ["x"], sandbox: "off" })).not.toHaveProperty("sandbox");
  expect(said).toEqual([expect.stringMatching(/^server a: .*sandbox/)]);
  const service = { url: "https://x/y", headers: { Key: "v" } };
  expect(read(service)).toEqual({ name: "a", ...service });
  // A command that is none leaves the address.
  expect(read({ command: [], ...service })).toEqual({ name: "a", ...service });
  const shown = read({ ...program, environment: { A: "secret" } });
  expect(typeof shown === "string" ? shown : serverText(shown)).toMatch(/^server a: x y .*project.*h\.example/);
});
