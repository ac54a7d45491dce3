/** Runs a tool as a call would, and shows its reply. */
import { useState } from "react";
import { answer, type Own, own, type Rest } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { AreaField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { exampleOf } from "./schema-fields.ts";

export function TryTool({ tool }: { tool: Rest["Tool"] }) {
  const { t, ms } = useText();
  const [result, setResult] = useState<Own["ToolResult"] | null>(null);
  const form = useForm(
    { arguments: JSON.stringify(exampleOf(tool.parameters), null, 2) },
    { unguarded: true },
  );

  async function run(text: string) {
    const parsed = parse(text);
    if (parsed === null)
      throw new ApiProblem(400, { error: "app", field: "arguments", message: t("tools.json_bad") });
    const reply = await answer(
      own.POST("/tools/{id}/try", {
        params: { path: { id: tool.id } },
        body: { arguments: parsed },
      }),
    );
    setResult(reply.result);
  }

  return (
    <Card title={t("tools.try")} note={t("tools.try_lead")}>
      <form className="form" onSubmit={form.send((values) => run(values.arguments))}>
        <AreaField label={t("tools.parameters")} code rows={4} {...form.bind("arguments")} />
        <div className="form-foot">
          <Button type="submit" icon="play" busy={form.busy}>
            {t("tools.run")}
          </Button>
          {result && (
            <span role="status">
              <Badge tone={result.ok ? "good" : "bad"}>
                {result.http_status === null
                  ? t("tools.no_answer", { ms: ms(result.duration_ms) })
                  : t("tools.answered", {
                      status: result.http_status,
                      ms: ms(result.duration_ms),
                    })}
              </Badge>
            </span>
          )}
        </div>
        <ProblemNote problem={form.problem} />
        {result && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          <pre className="code wrap" tabIndex={0}>
            {typeof result.output === "string"
              ? result.output
              : JSON.stringify(result.output, null, 2)}
          </pre>
        )}
      </form>
    </Card>
  );
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
