import { expect, test } from "vitest";
import { contentsOf } from "./known-files.ts";
import { shellTouches } from "./shell-touches.ts";

const call = (input: unknown) => ({ kind: "tool_call", id: "c", name: "shell", input }) as const;
const told = (input: unknown, content: string) => ({
  blocks: [call(input), { kind: "tool_result", callId: "c", status: "ok", content } as const],
});

test("a command that shows a file is a read of its lines", () => {
  expect(shellTouches(call({ cmd: "sed -n '3,4p' a.go" }))).toEqual([{ path: "a.go", access: "read", lines: [3, 4] }]);
  expect(shellTouches(call({ command: ["bash", "-lc", "cat a.go"] }))).toEqual([{ path: "a.go", access: "read" }]);
  expect(shellTouches(call({ cmd: "go test ./..." }))).toEqual([]);
});

test("files are followed through what commands show and patches change", () => {
  const patch =
    "*** Begin Patch\n*** Update File: a.go\n@@ func\n one\n-two\n+2\n*** Add File: b.go\n+new\n*** End Patch";
  const files = contentsOf([
    told({ cmd: "cat a.go" }, "Chunk ID: 1\nWall time: 0.0 seconds\nOutput:\none\ntwo\nthree"),
    told({ input: patch }, "Done!"),
    told({ cmd: "sed -n '4,4p' a.go" }, "four"),
  ]);
  expect(Object.fromEntries(files)).toEqual({ "a.go": "one\n2\nthree\nfour", "b.go": "new" });
});
