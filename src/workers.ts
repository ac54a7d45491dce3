/**
 * Where worker URLs are written: a compiled binary finds a worker's entry only when `new URL("./…", import.meta.url)`
 * stands in a module beside an entry point. The transcriber's stands in its speech worker's.
 */
export const spawnCallWorker = () =>
  new Worker(new URL("./adapter/worker/call.worker.ts", import.meta.url).href);
export const spawnSpeechWorker = () =>
  new Worker(new URL("./adapter/worker/speech.worker.ts", import.meta.url).href);
export const spawnEncoderWorker = () =>
  new Worker(new URL("./adapter/worker/encoder.worker.ts", import.meta.url).href);
export const spawnSchemaWorker = () =>
  new Worker(new URL("./adapter/worker/schema.worker.ts", import.meta.url).href);
export const spawnKnowledgeWorker = () =>
  new Worker(new URL("./adapter/knowledge/knowledge.worker.ts", import.meta.url).href);
export const spawnReaderWorker = () =>
  new Worker(new URL("./adapter/knowledge/reader/reader.worker.ts", import.meta.url).href);
export const spawnDatabaseWorker = () =>
  new Worker(new URL("./operations/backup/database.worker.ts", import.meta.url).href);
export const spawnCheckpointWorker = () =>
  new Worker(new URL("./adapter/store/checkpoint.worker.ts", import.meta.url).href);
