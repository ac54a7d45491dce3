/** The agent as edited in its form, for a test by text or voice. */
import { z } from "zod";
import { trialShape } from "./agent-schema.ts";

/** Unsaved form fields. Missing fields have their saved values. */
export const AgentDraft = z.strictObject(trialShape()).meta({ id: "AgentDraft" });
