import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** What a terminal would obey, and what makes text look like other text. */
const COMMANDS = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u;

/** Commands put out sequences for a terminal: whole, in pieces, unfinished, as bytes that are no text. None may come through. */
export const terminal: Family<Playground> = {
  name: "terminal",
  guard: "escape filter",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(async (playground) => {
      for (const [at, body] of sequences().entries()) {
        const text = Buffer.concat([Buffer.from("before\n"), body, Buffer.from("\nafter\n")]);
        await writeFile(join(playground.folder, `sequence-${at}`), text);
      }
      return act(playground);
    }),
  attacks: ({ command }) =>
    sequences().flatMap((body, at): readonly Attack[] => {
      const name = JSON.stringify(body.toString("latin1"));
      const whole = { name: `whole ${name}`, run: () => command(`cat sequence-${at}`), harm: harmOf };
      if (at % 3 !== 0) return [whole];
      const slowly = `while IFS= read -r -d '' -n 1 c || [ -n "$c" ]; do printf '%s' "$c"; sleep 0.001; done < sequence-${at}`;
      return [whole, { name: `in pieces ${name}`, run: () => command(`export LC_ALL=C; ${slowly}`), harm: harmOf }];
    }),
};

function harmOf(said: string): string | undefined {
  if (COMMANDS.test(said)) return `a command for the terminal came through: ${JSON.stringify(said)}`;
  // Nor may a sequence hide what follows it.
  return said.includes("after") ? undefined : "the text behind it is gone";
}

function sequences(): readonly Buffer[] {
  const [start, wakeUp, end] = ["\x1b", "\x07", "\x1b\\"];
  const clipboard = Buffer.from("rm -rf ~").toString("base64");
  const texts = [
    ...[
      "[31mred",
      "[2J",
      "[H",
      "[1;1H",
      "[?1049h",
      "[?25l",
      "[6n",
      "[c",
      "[>c",
      "[5n",
      "[21t",
      "[!p",
      "[3J",
      "[s",
      "[u",
      "[?2004h",
      "[4h",
      "[20h",
      "[8m",
      "[1A[2K",
    ].map((body) => start + body),
    ...[
      "]0;title",
      "]2;title",
      `]52;c;${clipboard}`,
      "]8;;http://evil.example",
      "]4;1;?",
      "]10;?",
      "]1337;File=name=x:AA",
      "]777;notify;a;b",
      "]9;4;1",
      "]133;A",
    ].flatMap((body) => [start + body + wakeUp, start + body + end, start + body]),
    ...["P+q544e", 'P$q"p', "Pq#0;2;0;0;0", "X", "^", "_Gf=100;AAAA", "_"].flatMap((body) => [
      start + body + end,
      start + body,
    ]),
    ...["c", "7", "8", "D", "E", "M", "Z", "(0", ")B", "#8", "%G", " F", "=", ">", "N", "O", "n", "|"].map(
      (body) => start + body,
    ),
    `${start}${start}[31m`,
    `${start}[${start}]0;x${wakeUp}`,
    `${start}]0;${start}[31m${wakeUp}`,
    `${start}[${"1;".repeat(5_000)}m`,
    `${start}[`,
    start,
    "\x9b31m",
    "\x9d0;title\x9c",
    "\x90q\x9c",
    "\x98x\x9c",
    "\x9ex\x9c",
    "\x9fx\x9c",
    "\x84",
    "\x85",
    "\x8d",
    "\x9b",
    "a\rb",
    "\r\rb",
    "a\bb",
    "\x07",
    "\x0b",
    "\x0c",
    "\x0e",
    "\x0f",
    "\x7f",
    "\0",
    "\x05",
    "\x11",
    "\x13",
    "\x1a",
    "\u202etxt.exe\u202c",
    "\u2066x\u2069",
    "\u200bx",
    "\u200ex",
    "\u061cx",
    "\u2060x",
    "\u{e0041}\u{e0042}",
    "\u202ax\u202bx\u202dx",
  ];
  const bytes = [
    [0x9b, 0x33, 0x31, 0x6d],
    [0x9d, 0x30, 0x3b, 0x78, 0x07],
    [0xc0, 0x9b],
    [0xe0, 0x80, 0x9b],
    [0xff, 0xfe],
    [0xed, 0xa0, 0x80],
    [0xc2],
    [0xf0, 0x9f, 0x98],
    [0xc2, 0x1b, 0x5b, 0x33, 0x31, 0x6d],
  ];
  return [...texts.map((text) => Buffer.from(text, "utf8")), ...bytes.map((list) => Buffer.from(list))];
}
