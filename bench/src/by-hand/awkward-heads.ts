/** Heads of files as people and models write them. All of it was written for this bench. */
export interface AwkwardHead {
  readonly name: string;
  /** Lines between the dashes. `description` is the field that is changed. */
  readonly lines: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly lineEnding?: "\n" | "\r\n";
}

export const AWKWARD_HEADS: readonly AwkwardHead[] = [
  {
    name: "quotes and comments",
    lines: ["# kept by hand", "name: 'It''s mine'   # why", 'owner: "Ana \\"A\\" B"', "description: old"],
    values: { name: "It's mine", owner: 'Ana "A" B' },
  },
  {
    name: "line ends of Windows",
    lines: ["name: One", "description: old"],
    values: { name: "One" },
    lineEnding: "\r\n",
  },
  {
    name: "colons in a plain value",
    lines: ["name: Deploys: how they are done", "description: see: the wiki: page 4"],
    values: { name: "Deploys: how they are done", description: "see: the wiki: page 4" },
  },
  {
    name: "a sign that is reserved",
    lines: ["name: @team rule", "description: `make` runs it"],
    values: { name: "@team rule" },
  },
  {
    name: "a percent sign first",
    lines: ["name: %PATH% on Windows", "description: old"],
    values: { name: "%PATH% on Windows" },
  },
  {
    name: "a number that is a text",
    lines: ["name: Pinned", "pinned: 1.10", "description: old"],
    values: { pinned: "1.10" },
  },
  {
    name: "fields of others, nested",
    lines: ["name: Nested", "metadata:", "    owner:   ana", "    tags: [a,   'b, c']", "description: old"],
    values: { name: "Nested" },
  },
  {
    name: "a field twice",
    lines: ["name: First", "name: Second", "description: old"],
    values: { name: "First" },
  },
  {
    name: "a value over several lines",
    lines: ["name: Folded", "notes: >-", "  one", "  two", "description: old"],
    values: { notes: "one two" },
  },
  {
    name: "code in a field of others",
    lines: ["name: Code", "example: |", "  if a:", "      b()", "description: old"],
    values: { example: "if a:\n    b()" },
  },
  { name: "escapes of YAML", lines: ['name: "caf\\xe9"', "description: old"], values: { name: "café" } },
  {
    name: "anchors",
    lines: ["name: Anchored", "base: &base high", "copy: *base", "description: old"],
    values: { name: "Anchored", base: "high", copy: "high" },
  },
  { name: "a tab behind the colon", lines: ["name:\tTabbed", "description: old"], values: { name: "Tabbed" } },
];
