/** Parses responses with their contract. A response that does not match fails the test. */
import type { z } from "zod";
import type { Answer } from "./api-server.ts";

export function replyOf<Reply extends z.ZodType>(
  contract: { readonly operationId: string; readonly reply: Reply; readonly status?: number },
  answer: Answer,
): z.output<Reply> {
  if (answer.status !== (contract.status ?? 200))
    throw new Error(`${contract.operationId}: ${answer.status} ${answer.text.slice(0, 500)}`);
  return contract.reply.parse(answer.json);
}

interface ErrorBody {
  readonly error?: string;
  readonly message?: string;
}

/** The code of an error response; "" if it is not an error. */
export const errorOf = ({ json }: Answer): string => (json as ErrorBody | null)?.error ?? "";
export const messageOf = ({ json }: Answer): string => (json as ErrorBody | null)?.message ?? "";
