/** The error of operations that need a running server. */
import { AppError } from "../../core/errors.ts";

export const serverNeeded = () =>
  new AppError({
    code: "unavailable",
    publicMessage:
      "No linevoice server is running with this data directory. Start one with `linevoice serve`.",
  });
