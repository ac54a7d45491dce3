/**
 * A separate process with its own trusted certificates: requests one embedding from the server and
 * prints the response.
 */

import { systemClock } from "../../../src/core/clock.ts";
import { describeError } from "../../../src/core/errors.ts";
import { openAiEmbedder } from "../../../src/engine/openai/embeddings.ts";
import { embeddingSettings } from "./engine-session.ts";

const [, , url = ""] = process.argv;
const settings = embeddingSettings(url, { embedding_model: "small", embedding_api_key: "key-1" });
const said = await openAiEmbedder(settings, systemClock)
  .embed(["My teeth are yellow"], "passages")
  .then(
    ({ vectors, tokens }) => ({ vectors: vectors.map((vector) => [...vector]), tokens }),
    (error) => ({ failure: describeError(error) }),
  );
process.stdout.write(JSON.stringify(said));
process.exit(0);
