// Asks a script, and puts its summary under the headings that the prompt asks for.

import type { Ask, Reply, Script, Words } from "./script.ts";

/** Asks a script. Where the prompt asks for a summary, the purpose "answer" becomes "summary". */
export function hearScript(script: Script, asked: Ask): Reply {
  if (asked.purpose !== "answer" || !asked.userText.includes(ASKS_FOR_SUMMARY)) return script(asked);
  const reply = script({ ...asked, purpose: "summary" });
  return { ...reply, words: reply.words.map((words) => underHeadings(words, asked.userText)) };
}

/** How a prompt ends that asks for a summary. */
const ASKS_FOR_SUMMARY = "a <summary> block, and nothing else.";
/** What stands before a list of headings in such a prompt. */
const ASKS_FOR_HEADINGS = 'a line of the form "## 1. Title"';
const HEADING_ASKED = /^(\d{1,2})\. ([^:\n]+): /gm;
const HEADING_WRITTEN = /^ {0,3}(?:#{1,6} *|\*\*)?\d{1,2}[.)]/gm;

/** The first heading gets the summary. The others have nothing to say. */
function underHeadings(words: Words, prompt: string): Words {
  if (words.kind !== "text" || words.summary === undefined) return words;
  if ((words.summary.match(HEADING_WRITTEN) ?? []).length > 1) return words;
  const from = prompt.lastIndexOf(ASKS_FOR_HEADINGS);
  const headings = from < 0 ? [] : [...prompt.slice(from).matchAll(HEADING_ASKED)];
  if (headings.length === 0) return words;
  const { summary, text } = words;
  const sections = headings.map(([, number, title], at) => `## ${number}. ${title}\n${at === 0 ? summary : "None"}`);
  const written = `<summary>\n${summary}\n</summary>`;
  return { ...words, text: text.replace(written, () => `<summary>\n${sections.join("\n")}\n</summary>`) };
}
