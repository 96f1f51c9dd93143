import { readFileSync } from "node:fs";

/** What the loops of libraries are told, and the one tool that they have. Whole agents bring their own. */
export const INSTRUCTIONS =
  "You are a careful engineer. You read the parts before you answer, and keep to what the user says.";
export const READ_FILE = {
  name: "read_file",
  description: "Reads a text file and returns its content.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] as string[] },
} as const;

export function readFile(path: string): string {
  return readFileSync(path, "utf8");
}
