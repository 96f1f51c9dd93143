import { attackAgent } from "./attack-agent.ts";

// A process of its own, so that the attacks can be made as another user. Progress goes to standard error, the result to standard output.
const [raceMsPerTool, stride] = process.argv.slice(2).map(Number) as [number, number];
const attacked = await attackAgent({ raceMsPerTool, stride, say: (text) => console.error(text) });
process.stdout.write(JSON.stringify(attacked), () => process.exit(0));
