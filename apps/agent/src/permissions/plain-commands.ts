/** Words and quoted texts in which the shell finds nothing to do, and blanks between them. */
const PLAIN_PIECE = /^(?:[ \t]+|[\w@%+=:,./~^*?[\]{}-]+|'[^'\r\n]*'|"[^"$`\\!\r\n]*")/;
const BETWEEN = /^(?:&&|\|\||;|\||\n)/;
const ASSIGNMENT = /^\w+=/;

/**
 * The simple commands of a line, if it is nothing but such, one after the other; undefined where the shell would do more:
 * expand, redirect, run something inside of something. Only what is plain can be allowed by a pattern: what a parser here
 * understands otherwise than bash would be a hole. It is no boundary, that is the sandbox.
 */
export function plainCommands(line: string): readonly string[] | undefined {
  const commands: string[] = [];
  let current = "";
  for (let rest = line.trim(); rest !== ""; ) {
    const between = BETWEEN.exec(rest)?.[0];
    const piece = between ?? PLAIN_PIECE.exec(rest)?.[0];
    if (piece === undefined) return undefined;
    if (between === undefined) current += piece;
    else {
      commands.push(current.trim());
      current = "";
    }
    rest = rest.slice(piece.length);
  }
  commands.push(current.trim());
  // A variable before a command can change what it runs.
  return commands.some((command) => command === "" || ASSIGNMENT.test(command)) ? undefined : commands;
}

/** Everything in a line that may be a command, for rules that forbid: rather too much than too little. */
export function possibleCommands(line: string): readonly string[] {
  const pieces = line.split(/[;&|\n\r(){}`]|\$\(|<\(|>\(/).map((piece) => piece.trim());
  // What stands before a command and runs it: variables, and programs that take a command.
  const bare = pieces.map((piece) =>
    piece.replace(/^(?:(?:\w+=\S*|sudo|env|command|exec|nohup|time|xargs|eval|then|do|else|!)\s+)+/, ""),
  );
  const unquoted = [...pieces, ...bare].map((piece) => piece.replaceAll(/["'\\]/g, ""));
  return [...new Set([line.trim(), ...pieces, ...bare, ...unquoted])].filter(Boolean);
}
