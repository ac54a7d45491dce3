/** Questions that agents could not answer, and their conversion into knowledge. */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import { field, okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";

const KEY = "balcony plant";
const ANSWER_MAX = 5_000;
const QUESTION_MAX = 300;
const VARIANTS_MAX = 5;

const text = (most: number, description: string, example: string) =>
  field(z.string().min(1).max(most).regex(/\S/), {
    description,
    example,
    must: `be text of 1 to ${most} characters`,
    reason: "length",
    params: { from: 1, to: most },
  });

const key = text(1_000, "Normalised form of the question, from the list.", KEY);

export const UnansweredQuestion = z
  .strictObject({
    key: shown(z.string(), "Normalised form of the question.", KEY),
    question: shown(z.string(), "Question as it was last asked.", "Do you sell balcony plants?"),
    variants: z.array(shown(z.string(), "Other wording of the question.", "Any plants?")),
    count: shown(z.int(), "Number of times that it was asked.", 3),
    last_asked_at: timeOut("Time when it was last asked."),
    call_uuid: shown(z.uuid(), "UUID of the last call.", "019aa1b2-0000-7000-8000-000000000001"),
    agent_ids: z.array(shown(z.int(), "Id of an agent that got the question.", 1)),
  })
  .meta({ id: "UnansweredQuestion" });

export const listUnanswered = contract({
  operationId: "listUnansweredQuestions",
  at: "GET /unanswered-questions",
  weight: 5,
  tag: "Knowledge files",
  summary: "List questions that no agent could answer, most frequent first",
  reply: okReply({ questions: z.array(UnansweredQuestion) }),
});

export const answerQuestion = contract({
  operationId: "answerQuestion",
  at: "POST /unanswered-questions/answer",
  noun: "question",
  tag: "Knowledge files",
  summary: "Add a question and its answer to a knowledge file",
  body: z
    .strictObject({
      key,
      question: text(QUESTION_MAX, "Heading of the entry.", "Do you sell balcony plants?"),
      variants: field(z.array(z.string().min(1).max(QUESTION_MAX)).max(VARIANTS_MAX), {
        description: "Other wordings of the question.",
        example: ["Any plants?"],
        must: `be a list of at most ${VARIANTS_MAX} texts of 1 to ${QUESTION_MAX} characters`,
      }).default([]),
      answer: text(ANSWER_MAX, "Answer for the agents.", "Yes, from April on."),
      file_id: field(z.int().min(1).nullable(), {
        description: "Id of a .md file. `null`: answers.md, created if it is missing.",
        example: 1,
        must: "be the id of a file, or null",
      }).default(null),
    })
    .meta({ id: "QuestionAnswer" }),
  reply: okReply({ file_id: shown(z.int(), "Id of the file with the entry.", 1) }),
  errors: ["plan_limit_reached", "valid_content_required"],
});

export const dismissQuestion = contract({
  operationId: "dismissQuestion",
  at: "POST /unanswered-questions/dismiss",
  noun: "question",
  tag: "Knowledge files",
  summary: "Remove a question from the list",
  body: z.strictObject({ key }).meta({ id: "DismissedQuestion" }),
  reply: okReply({}),
});

export const unansweredRoutes = ({ dependencies }: ProductContext) => {
  const { unanswered } = dependencies.services;
  return [
    route(listUnanswered)(async ({ tenantId }) => ({
      ok: true,
      questions: (await unanswered.list(tenantId)).map((question) => ({
        key: question.key,
        question: question.question,
        variants: [...question.variants],
        count: question.count,
        last_asked_at: isoUtc(question.lastAskedAt),
        call_uuid: question.callUuid,
        agent_ids: [...question.agentIds],
      })),
    })),
    route(answerQuestion)(async ({ tenantId, body, ...request }) => {
      const { file_id: fileId, ...entry } = body;
      const written = await unanswered.answer(tenantId, { ...entry, fileId }, authorOf(request));
      return { ok: true, file_id: written };
    }),
    route(dismissQuestion)(async ({ tenantId, body }) => {
      await unanswered.dismiss(tenantId, body.key);
      return { ok: true };
    }),
  ];
};
