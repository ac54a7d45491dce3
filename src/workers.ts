/**
 * URLs of the workers. A compiled binary finds a worker's entry only if `new URL("./…",
 * import.meta.url)` is in a module next to an entry point. The transcriber's URL is in its speech
 * worker's module.
 */
import { atOrdinaryPriority } from "./platform/threads/priority.ts";

export const spawnCallWorker = () =>
  atOrdinaryPriority(() => new Worker(new URL("./worker/call.worker.ts", import.meta.url).href));
export const spawnSpeechWorker = () =>
  atOrdinaryPriority(() => new Worker(new URL("./worker/speech.worker.ts", import.meta.url).href));
export const spawnVoices = () =>
  atOrdinaryPriority(() => new Worker(new URL("./worker/voices.worker.ts", import.meta.url).href));
export const spawnEncoderWorker = () =>
  atOrdinaryPriority(() => new Worker(new URL("./worker/encoder.worker.ts", import.meta.url).href));
export const spawnSchemaWorker = () =>
  atOrdinaryPriority(() => new Worker(new URL("./worker/schema.worker.ts", import.meta.url).href));
export const spawnScenarioWorker = () =>
  atOrdinaryPriority(
    () => new Worker(new URL("./worker/scenario.worker.ts", import.meta.url).href),
  );
export const spawnKnowledgeWorker = () =>
  atOrdinaryPriority(
    () =>
      new Worker(new URL("./features/knowledge/index/knowledge.worker.ts", import.meta.url).href),
  );
export const spawnReaderWorker = () =>
  atOrdinaryPriority(
    () => new Worker(new URL("./features/knowledge/reader/reader.worker.ts", import.meta.url).href),
  );
export const spawnDatabaseWorker = () =>
  atOrdinaryPriority(
    () => new Worker(new URL("./ops/backup/database.worker.ts", import.meta.url).href),
  );
export const spawnCheckpointWorker = () =>
  atOrdinaryPriority(
    () => new Worker(new URL("./store/sqlite/checkpoint.worker.ts", import.meta.url).href),
  );
