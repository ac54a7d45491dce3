/** A new tool. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answer, own } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { useForm } from "../../../ui/form.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { emptyTool, ToolFields, toolBodyOf } from "../tool-form.tsx";

export function Page() {
  const { t } = useText();
  const search: { agent?: unknown } = useSearch({ strict: false });
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const form = useForm(emptyTool(typeof search.agent === "number" ? String(search.agent) : ""), {
    draft: "tools/new",
    secrets: ["secret"],
  });
  return (
    <Frame forms title={t("tools.new")} back={{ to: "/tools", label: t("nav.tools") }}>
      <EditForm
        form={form}
        mayChange={mayChange}
        create={t("action.save")}
        onSend={async (draft) => {
          const { tool } = await answer(
            own.POST("/tools", { body: { ...toolBodyOf(draft), secret: draft.secret } }),
          );
          await stale("tools");
          showMessage(t("tools.created"));
          await navigate({ to: "/tools/$id", params: { id: String(tool.id) } });
        }}
      >
        <ToolFields form={form} stored={false} />
      </EditForm>
    </Frame>
  );
}
