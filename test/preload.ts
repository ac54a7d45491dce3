/** Read by `bun test` before the first file (bunfig.toml). */
import { afterAll } from "bun:test";
import { end } from "./support/at-the-end.ts";

afterAll(end);
