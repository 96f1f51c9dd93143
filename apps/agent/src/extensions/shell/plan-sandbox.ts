export interface SandboxPlan {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly temporaryFolder: string;
  /** What hidden files are seen as. */
  readonly emptyFile: string;
  readonly network: "allowed" | "none";
  /** Seen as empty. Paths that exist, links followed. */
  readonly hidden: readonly { readonly path: string; readonly kind: "file" | "folder" }[];
  /** Writable as the roots are, and not to be put aside for another of its name. Outer folders come before inner ones. */
  readonly bound: readonly string[];
  /** Inside of what is writable, and yet not to be written. */
  readonly readOnly: readonly string[];
}

/**
 * The line that encloses a command with bubblewrap. It sees the whole system and can write to the roots and its own /tmp only;
 * secrets look empty; it has no network, no processes but its own, no terminal and no capabilities, even where root runs it.
 */
export function planSandbox({
  folder,
  roots,
  temporaryFolder,
  emptyFile,
  network,
  hidden,
  bound,
  readOnly,
}: SandboxPlan): readonly string[] {
  return [
    ...[
      "bwrap",
      "--die-with-parent",
      "--new-session",
      "--unshare-user",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
    ],
    ...(network === "none" ? ["--unshare-net"] : []),
    ...["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Sockets of daemons and key agents live there. With a network, names are looked up by a file below it.
    ...[
      "--tmpfs",
      "/run",
      ...(network === "allowed" ? ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] : []),
    ],
    ...["--bind", temporaryFolder, "/tmp"],
    // Hidden first: a project may lie in a folder that is hidden.
    ...hidden.flatMap(({ path, kind }) => (kind === "folder" ? ["--tmpfs", path] : ["--ro-bind", emptyFile, path])),
    ...roots.flatMap((root) => ["--bind", root, root]),
    // What something is mounted on cannot be renamed; its parent can.
    ...bound.flatMap((path) => ["--bind", path, path]),
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...["--chdir", folder, "--"],
  ];
}
