/** One section as a process of its own: sends its figures to main.ts and ends. */
import type { Message } from "./main.ts";
import { SECTIONS } from "./sections/index.ts";

const [name = "", size] = process.argv.slice(2);
const loaded = await SECTIONS.find((entry) => entry.name === name)?.load();
const section = loaded?.find((one) => one.name === name);
if (!section) throw new RangeError(`no section ${name}`);
// Whoever asked has ended: those that it started end with it, at the end of their input.
process.on("disconnect", () => process.exit(1));
const send = (message: Message) => process.send?.(message);
const raw = await section.measure({ full: size === "full", note: (figure) => send({ figure }) });
send({ raw });
// What was sent leaves before the process does.
await Bun.sleep(50);
process.exit(0);
