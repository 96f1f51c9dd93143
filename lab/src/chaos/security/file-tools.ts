export const FILE_TOOLS = ["Read", "Write", "Edit", "Grep", "Glob"] as const;
export type FileTool = (typeof FILE_TOOLS)[number];

/** A file has to be read before it is changed. */
export const READ_FIRST: readonly string[] = ["Write", "Edit"];

/** A call of a tool that would read or change a canary at the path. */
export function inputOf(tool: FileTool, path: string): object {
  switch (tool) {
    case "Read":
      return { file_path: path };
    case "Write":
      return { file_path: path, content: "overwritten" };
    case "Edit":
      return { file_path: path, old_string: "CANARY", new_string: "overwritten" };
    case "Grep":
      return { pattern: "CANARY.*", path, output_mode: "lines" };
    case "Glob":
      return { pattern: "**/id_rsa", path };
  }
}
