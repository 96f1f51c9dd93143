import { attackAgent } from "./attack-agent.ts";

// A process of its own, so that the attacks can be made as another user. Progress goes to standard error, the result to standard output.
const [atMost, only = ""] = process.argv.slice(2);
const attacked = await attackAgent({ atMost: Number(atMost), only, say: (text) => console.error(text) });
process.stdout.write(JSON.stringify(attacked), () => process.exit(0));
