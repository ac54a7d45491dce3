/** English, which defines the set of keys. */
import { calls } from "./calls.ts";
import { door } from "./door.ts";
import { shell } from "./shell.ts";

export const en = { ...shell, ...door, ...calls } as const;
