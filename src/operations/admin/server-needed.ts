/** What is answered where only a running server can help. */
import { AppError } from "../../core/errors.ts";

export const serverNeeded = () =>
  new AppError({
    code: "unavailable",
    publicMessage:
      "No linevoice server runs on this data directory; start one with `linevoice serve`.",
  });
