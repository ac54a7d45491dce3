/** Runs one section in a separate process: sends its figures to main.ts and exits. */
import type { Message } from "./main.ts";
import { SECTIONS } from "./sections/index.ts";

const [name = "", size] = process.argv.slice(2);
const loaded = await SECTIONS.find((entry) => entry.name === name)?.load();
const section = loaded?.find((one) => one.name === name);
if (!section) throw new RangeError(`no section ${name}`);
// The parent has ended. The processes started here exit when their input ends.
process.on("disconnect", () => process.exit(1));
const send = (message: Message) => process.send?.(message);
const raw = await section.measure({ full: size === "full", note: (figure) => send({ figure }) });
send({ raw });
// Let the messages leave before the process exits.
await Bun.sleep(50);
process.exit(0);
