/** Pages as they are found: valid, or what browsers take for valid. All of it was written for this bench. */
export interface AwkwardPage {
  readonly name: string;
  readonly html: string;
  /** What a reader must find, in this order. */
  readonly has: readonly string[];
  /** What nobody reads. */
  readonly hasNot?: readonly string[];
}

export const AWKWARD_PAGES: readonly AwkwardPage[] = [
  {
    name: "a bracket in an attribute",
    html: '<p>before <img alt="a > b" src="x.png"> after</p>',
    has: ["before", "after"],
    hasNot: ["src="],
  },
  {
    name: "named entities",
    html: "<p>caf&eacute; costs 3&nbsp;&euro; &rarr; see &sect;&thinsp;4 &le; 5</p>",
    has: ["café", "€", "→", "§", "≤"],
    hasNot: ["&"],
  },
  {
    name: "numeric entities, some of Windows",
    html: "<p>A&#8211;B &#x1F600; 1990&#150;1995</p>",
    has: ["A–B", "😀", "1990–1995"],
  },
  { name: "entities without a semicolon", html: "<p>&copy 2024 AT&amp T</p>", has: ["© 2024 AT& T"] },
  {
    name: "code that is indented",
    html: "<p>Try:</p><pre><code>def area(r):\n    if r &lt; 0:\n        return None\n    return r * r\n</code></pre>",
    has: ["def area(r):\n", "    if r < 0:\n", "        return None\n", "    return r * r"],
  },
  {
    name: "code with markup for colours",
    html: '<pre><span class="k">const</span> <span class="n">a</span> = <span class="s">"b"</span>;\n\n<span class="k">return</span> a;</pre>',
    has: ['const a = "b";\n\nreturn a;'],
  },
  {
    name: "a head that is never closed",
    html: "<!doctype html><html><head><title>Manual</title><meta charset=utf-8><body><p>The first line.",
    has: ["The first line."],
    hasNot: ["charset"],
  },
  {
    name: "no head, no body, paragraphs without an end",
    html: "<h1>Notes<p>one<p>two<ul><li>a<li>b</ul>",
    has: ["Notes", "one", "two", "a", "b"],
    hasNot: ["onetwo", "ab"],
  },
  {
    name: "a script that writes elements",
    html: "<SCRIPT>document.write('<p>no</p>'); if (a </b/.exec(c)) d()</SCRIPT><p>yes</p><style>p > a { color: red }</style>",
    has: ["yes"],
    hasNot: ["document", "color"],
  },
  {
    name: "comments",
    html: "<p>a<!-- <p>unseen</p> --><!-- > --><!---->b</p><!-- --!>c",
    has: ["ab"],
    hasNot: ["unseen"],
  },
  {
    name: "a table",
    html: "<table><thead><tr><th>Flag<th>Default<tbody><tr><td>--depth<td>3<tr><td>--all<td>off</table>",
    has: ["Flag", "Default", "\n", "--depth", "3", "\n", "--all", "off"],
    hasNot: ["FlagDefault", "--depth3"],
  },
  {
    name: "lists in lists",
    html: "<ol><li>install<ul><li>on Linux<li>on macOS</ul><li>run</ol>",
    has: ["install", "\n", "on Linux", "\n", "on macOS", "\n", "run"],
  },
  {
    name: "links, absolute and relative",
    html: '<p><a href="https://example.com/a?x=1&amp;y=2">there</a>, <a href="/docs/b">here</a>, <a href=#top>up</a></p>',
    has: ["there", "https://example.com/a?x=1&y=2", "here", "/docs/b", "up"],
  },
  {
    name: "words with elements inside",
    html: "<p>un<b>believ</b>able, H<sub>2</sub>O, a<br>b</p>",
    has: ["unbelievable", "H2O", "a\nb"],
  },
  {
    name: "text that looks like elements",
    html: "<p>if a < b and c > d, use &lt;div&gt; and 1<2</p>",
    has: ["a < b and c > d", "<div>", "1<2"],
  },
  {
    name: "a title and a text area with brackets",
    html: "<title>a <b> c</title><textarea>x </div> y</textarea><p>z</p>",
    has: ["x </div> y", "z"],
  },
  {
    name: "pictures drawn in the page",
    html: "<p>Go <svg viewBox='0 0 1 1'><title>arrow</title><path d='M0 0'/></svg> on</p>",
    has: ["Go", "on"],
    hasNot: ["M0 0"],
  },
  {
    name: "a menu of one line each, and blank lines",
    html: "<div><div><div>Home</div></div></div>\n\n\n\n<div>Docs</div><p>\n\n</p><div>Blog</div>",
    has: ["Home", "\n", "Docs", "\n", "Blog"],
    hasNot: ["\n\n\n"],
  },
];

/** What somebody sends who means harm: each is repeated many times. */
export const HOSTILE_PIECES: readonly string[] = [
  "<!--",
  "<script>",
  "<",
  "<a href=",
  "&#x",
  "<p ",
  "<svg><svg>",
  "<div>",
  "<b><table>",
];
