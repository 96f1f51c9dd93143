import type { Bench } from "../bench.ts";
import { compareDiff } from "./compare-diff.ts";
import { compareFrontmatter } from "./compare-frontmatter.ts";
import { compareGit } from "./compare-git.ts";
import { compareHtml } from "./compare-html.ts";

export const byHandBench: Bench = {
  name: "by-hand",
  figures: "counts",
  about: "parts that are ours beside well-kept ones: objects of git, heads of files, text of web pages, differences",
  async run({ size }) {
    return {
      git: await compareGit(size === "quick" ? 20 : 200),
      frontmatter: await compareFrontmatter(),
      html: compareHtml(size),
      differences: compareDiff(size),
    };
  },
};
