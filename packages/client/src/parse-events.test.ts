import { expect, test } from "vitest";
import { eventParser } from "./parse-events.ts";

const STREAM =
  'retry: 1000\n\n: still here\n\nid: 7\nevent: text\ndata: {"a":1}\n\ndata:one\ndata: two\n\nid\n\nevent: x\r\ndata: crlf\r\n\r\ndata: cut';
const EVENTS = [
  { id: "7", name: "text", data: '{"a":1}' },
  { name: "message", data: "one\ntwo" },
  { name: "x", data: "crlf" },
];

test("events are read wherever the stream is cut", () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const parse = eventParser();
    const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, index) =>
      STREAM.slice(index * size, (index + 1) * size),
    );
    expect([size, pieces.flatMap((piece) => parse(piece))]).toEqual([size, EVENTS]);
  }
});
