import { expect, test } from "vitest";
import { readToolServer, serverText } from "./tool-server.ts";

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
