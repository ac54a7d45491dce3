/** Tests the embedding server in the same way as the index and a caller's turn use it. */

import { describeError } from "../../core/errors.ts";
import { openAiEmbedder } from "../../engine/openai/embeddings.ts";
import { ProviderFailure } from "../../engine/provider-failure.ts";
import { trusting } from "../../platform/net/trust.ts";
import { authoritiesOf } from "../config/pem.ts";
import { type Check, failed, ok, skipped, warning } from "./check.ts";
import { remedyFor } from "./provider-check.ts";

const KEYS = {
  baseUrl: "embedding_base_url",
  apiKey: "embedding_api_key",
  model: "embedding_model",
  timeout: "connect_timeout_ms",
};
const TABLE = "[engine.openai]";
const QUESTION = "When are you open?";

export const knowledgeSearch: Check = {
  name: "knowledge search",
  async run({ config, clock }) {
    const settings = config.engine.openai;
    if (settings.embedding_model === null) return skipped("Knowledge search uses words.");
    const embedder = openAiEmbedder(settings, clock, trusting(authoritiesOf(config)));
    try {
      await embedder.embed([QUESTION], "passages");
    } catch (error) {
      const said = `${embedder.model}: ${describeError(error)}. Knowledge search uses only words.`;
      const remedy =
        error instanceof ProviderFailure
          ? remedyFor(error, TABLE, KEYS)
          : `Check ${TABLE} embedding_model.`;
      return failed(said, remedy);
    }
    const startedAt = clock.monotonic();
    const isInTime = await embedder.embed([QUESTION], "question").then(
      () => true,
      () => false,
    );
    const ms = Math.round(clock.monotonic() - startedAt);
    if (isInTime) return ok(`${embedder.model} converts a question into a vector in ${ms} ms.`);
    return warning(
      `${embedder.model} is too slow: it returned no vector for a question within ${ms} ms. Knowledge search uses only words.`,
      `Run a small model near this server, and set ${TABLE} embedding_base_url.`,
    );
  },
};
