/** An agent as its form shows it while somebody tries it, by text or by voice. */
import { z } from "zod";
import { trialShape } from "../../../domain/agent/agent-schema.ts";

/** What is written in the form but not saved. What is left out is as it is saved. */
export const AgentDraft = z.strictObject(trialShape()).meta({ id: "AgentDraft" });
