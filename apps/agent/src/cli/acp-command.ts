import {
  ALLOW,
  BASE_URL,
  DENY,
  EFFORT,
  type Efforts,
  type Flag,
  MODE,
  MODEL,
  type Mode,
  PROVIDER,
  SET,
  type Value,
  type Values,
  WEB,
} from "../commands/definition.ts";

/** The agent in editors. */
export const ACP_COMMAND = {
  acp: {
    usage: "acp [options]",
    about: "run the agent in an editor that speaks the Agent Client Protocol, such as Zed or a JetBrains IDE",
    more: [
      "An editor starts this command and talks to it over standard input and output, in lines of JSON. Messages about problems go to standard error. The command ends when the editor closes the connection, and stops what the agent is running.",
      "The editor names the folder of each session, so any number of projects can be open at a time. Sessions are those of the terminal: palimpsest --continue resumes a session of an editor, and the editor can open a session of the terminal.",
      "The API key is the one that you have stored (palimpsest key set), or comes from the environment that the editor names. docs/guides/in-your-editor.md has settings for Zed, JetBrains IDEs and Neovim.",
    ],
    options: {
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      effort: EFFORT as Efforts,
      mode: MODE as Mode,
      allow: ALLOW as Values,
      deny: DENY as Values,
      set: SET as Values,
      web: WEB as Flag,
    },
    examples: [
      ["palimpsest acp", "the command that an editor starts"],
      ["palimpsest acp --mode plan", "begin every session with a plan"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
} as const;
