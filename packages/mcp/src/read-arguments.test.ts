import { expect, test } from "vitest";
import { readArguments } from "./read-arguments.ts";

test.each([
  [[], { kind: "serve", folder: "/here", scope: "folder" }],
  [["--all"], { kind: "serve", folder: "/here", scope: "all" }],
  [["--folder", "shop"], { kind: "serve", folder: "/here/shop", scope: "folder" }],
  [["--folder=/a=b", "--all"], { kind: "serve", folder: "/a=b", scope: "all" }],
  [["--folder"], { kind: "wrong", why: "--folder needs a folder." }],
  [["--everything"], { kind: "wrong", why: 'Unknown option "--everything". See palimpsest-mcp --help.' }],
  [["-h", "--all"], { kind: "help" }],
  [["--version"], { kind: "version" }],
])("%j", (args, wanted) => expect(readArguments(args, "/here")).toEqual(wanted));
