import type { Figures } from "../bench.ts";

export const BY_HAND_RULE =
  "git finds nothing wrong with our history, heads keep what nobody changes, awkward pages are read and hostile ones survived";

interface ReadPages {
  readonly pages: number;
  readonly hostile: number;
  readonly ours: { readonly read: number; readonly hostile_survived: number };
}

export function holdsByHand({ git, frontmatter, html }: Figures): boolean {
  const { our_objects_pass_git_fsck } = git as { readonly our_objects_pass_git_fsck: boolean };
  const { heads, ours: head } = frontmatter as { readonly heads: number; readonly ours: { readonly kept: number } };
  const { pages, hostile, ours } = html as unknown as ReadPages;
  const readsAll = ours.read === pages && ours.hostile_survived === hostile;
  return our_objects_pass_git_fsck && head.kept === heads && readsAll;
}
