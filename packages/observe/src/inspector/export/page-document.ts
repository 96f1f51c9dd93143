import { createHash } from "node:crypto";

export interface DocumentParts {
  readonly title: string;
  readonly script: string;
  readonly style: string;
  /** JSON without `<`. */
  readonly answers: string;
}

/**
 * One file that is the whole page. It may run this one script and use this one style sheet, by their hashes, and load or send nothing:
 * what a browser does with a text of a session is decided by this line, not by our care alone.
 */
export function pageDocument({ title, script, style, answers }: DocumentParts): string {
  if (/<\/script|<!--/i.test(script)) throw new Error("The script of the page could end its own element.");
  if (/<\/style/i.test(style)) throw new Error("The style sheet of the page could end its own element.");
  if (answers.includes("<")) throw new Error("The answers of the page could end their own element.");
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"><p>Opening ...</p></div>
<script type="application/json" id="answers">${answers}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
