/** `linevoice clock confirm`: continues work paused after a clock jump. */
import { asks, commandOf } from "./actions.ts";

export const clockCommand = commandOf(
  "clock",
  {
    confirm: asks("clock.confirm", {
      usage: ["clock confirm [--json]"],
      lines: ({ now }) => [`The clock is right: ${now}.`],
    }),
  },
  [
    "After the clock jumps ahead, scheduled calls, campaigns, new months and the deletion of old data wait",
    "(`linevoice doctor` shows it). If the clock is wrong, correct it instead.",
  ],
);
