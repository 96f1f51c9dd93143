import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { htmlToText } from "./html-to-text.ts";

test("converts a page to readable text", () => {
  const page = `<!doctype html><html><head><title>A &amp; B</title><style>p { color: red }</style></head>
    <body><!-- unseen --><h2>Head<b>ing</b></h2><p>One
    two&nbsp;&#x33; <a href="https://example.com/x?a=1&amp;b=2">there</a></p><script>alert("<p>no</p>")</script>
    <ul><li>first</li><li>second</li></ul>1 < 2<br>end</body></html>`;
  expect(htmlToText(page)).toBe(
    "A & B\n\n## Heading\n\nOne two 3 there (https://example.com/x?a=1&b=2)\n\n- first\n- second\n\n1 < 2\nend",
  );
});

test("keeps the lines and indentation of code", () => {
  const page = "<p>Try</p><pre><code>def area(r):\n    if r &lt; 0:\n        return None\n</code></pre><p>it</p>";
  expect(htmlToText(page)).toBe("Try\n\ndef area(r):\n    if r < 0:\n        return None\n\nit");
});

test("closes heads, paragraphs and cells like browsers", () => {
  const page = "<head><title>T</title><meta charset=utf-8><body><p>one<p>two<table><tr><td>a<td>b<tr><td>c</table>";
  expect(htmlToText(page)).toBe("T\n\none\n\ntwo\n\na | b\nc");
});

test("handles brackets in attributes, named entities and links within the site", () => {
  const page = '<img alt="a > b" src=x>caf&eacute; <a href="/docs">here</a> <a href="#top">up</a>';
  expect(htmlToText(page)).toBe("café here (/docs) up");
});

test.each(["<div>", "<b><table>", "<!--", "<script>", "<", "<a href=", "&#x", "<p ", "<svg><svg>", "<head><title>"])(
  "converts a page that only repeats %j in a short time",
  async (piece) => {
    expect(await processorMs(() => htmlToText(piece.repeat(200_000)))).toBeLessThan(2_000);
  },
);

test("says that a page is nested too deeply", () => {
  expect(htmlToText(`<p>begin</p>${"<div>".repeat(6_000)}end`)).toMatch(/^begin\n\n\[The rest .* too deeply\.\]$/);
});

test("leaves no elements of any page, and produces well-formed text", () => {
  // "word" is not an element name. After an escaped bracket it is text that looks like an element.
  const pieces = "<p> </p> <!-- --> <script> </script> word &lt; &#55357; </a>".split(" ");
  const piece = fc.constantFrom(...pieces, " ", "\n", "<a href='https://x'>");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = htmlToText(pieces.join(""));
      expect(text).not.toMatch(/<\/?(p|script|a)\b[^&]*>$/);
      expect(text.isWellFormed()).toBe(true);
    }),
  );
});
