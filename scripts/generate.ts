/** Runs all generators that must precede the type check and the bundler. */
import { buildDashboard } from "./build-dashboard.ts";
import { buildDocsSite } from "./docs-site.ts";
import { buildHearingData } from "./hearing-data.ts";
import { writeMigrations } from "./migrations.ts";
import { writeClients } from "./openapi-client.ts";
import { buildPdfReader } from "./pdf-reader.ts";
import { writeReadySuites } from "./ready-suites.ts";
import { buildSpeechData } from "./speech-data.ts";
import { buildVadModel } from "./vad-model.ts";

export async function generateSources(): Promise<void> {
  await writeMigrations();
  await writeReadySuites();
  await buildSpeechData();
  await buildHearingData();
  await buildVadModel();
  await buildPdfReader();
  await writeClients();
  await buildDashboard();
  await buildDocsSite();
}

if (import.meta.main) await generateSources();
