/** Elements whose content nobody reads. */
const UNREAD = ["script", "style", "noscript", "template", "svg", "iframe", "object", "head"];
const BLOCKS =
  /^\/?(p|div|section|article|header|footer|main|nav|aside|ul|ol|table|tr|pre|blockquote|h[1-6]|form|dl|dt|dd|figure|hr|title)$/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "(c)",
  mdash: "-",
  ndash: "-",
  hellip: "...",
  lsquo: "'",
  rsquo: "'",
  ldquo: '"',
  rdquo: '"',
  laquo: '"',
  raquo: '"',
  middot: "*",
  bull: "*",
  times: "x",
};

/**
 * The text of a page as people read it: blocks on lines of their own, headings and list items marked, links with their target.
 * Each character is looked at a fixed number of times, whatever the page is.
 */
export function htmlToText(html: string): string {
  const lower = html.toLowerCase();
  const pieces: string[] = [];
  let target: string | undefined;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    pieces.push(plain(html.slice(at, open === -1 ? html.length : open)));
    if (open === -1) break;
    if (html.startsWith("<!--", open)) {
      at = after(html.indexOf("-->", open + 4), 3, html);
      continue;
    }
    if (!/[a-z/!?]/.test(lower.charAt(open + 1))) {
      pieces.push("<");
      at = open + 1;
      continue;
    }
    const close = html.indexOf(">", open);
    const end = close === -1 ? html.length : close;
    const name = /^\/?[a-z0-9]+/.exec(lower.slice(open + 1, open + 20))?.[0] ?? "";
    at = end + 1;
    if (UNREAD.includes(name)) {
      const title =
        name === "head" ? /<title[^>]{0,200}>([^<]{0,300})/.exec(html.slice(at, at + 20_000))?.[1] : undefined;
      if (title !== undefined) pieces.push(`${plain(title)}\n\n`);
      at = after(lower.indexOf(`</${name}`, at), 0, html);
    } else if (name === "a") {
      target = /\shref\s*=\s*["']?(https?:\/\/[^"'\s>]{1,500})/i.exec(
        html.slice(open, Math.min(end, open + 1_000)),
      )?.[1];
    } else if (name === "/a" && target !== undefined) {
      pieces.push(` (${plain(target)})`);
      target = undefined;
    } else if (name === "br" || name === "/tr") pieces.push("\n");
    else if (name === "li") pieces.push("\n- ");
    else if (name === "td" || name === "th") pieces.push(" | ");
    else if (BLOCKS.test(name)) pieces.push(`\n\n${/^h[1-6]$/.test(name) ? `${"#".repeat(Number(name[1]))} ` : ""}`);
  }
  return tidy(pieces.join(""));
}

function after(found: number, length: number, html: string): number {
  return found === -1 ? html.length : found + length;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/&(#x?[0-9a-f]{1,6}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number(/^#x/i.test(name) ? `0x${name.slice(2)}` : name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replaceAll(/ {2,}/g, " ").trim());
  return lines
    .filter((line, position) => line !== "" || lines[position - 1] !== "")
    .join("\n")
    .trim()
    .toWellFormed();
}
