/** English, which defines the set of keys. */
import { door } from "./door.ts";
import { shell } from "./shell.ts";

export const en = { ...shell, ...door } as const;
