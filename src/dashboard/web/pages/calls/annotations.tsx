/** Annotations by the company's people: tags, and comments with their author. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { callAnnotationsQuery, callTagsQuery, type QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { AreaField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";

type Found = QueryData<ReturnType<typeof callAnnotationsQuery>>;

const TAG_MAX = 40;

export const TagLabels = ({ tags }: { tags: readonly string[] }) =>
  tags.length > 0 && (
    <span className="row tight">
      {tags.map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  );

/** A separate card, or with `bare` part of another element. */
export function Annotations({ uuid, bare }: { uuid: string; bare?: boolean }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const { data } = useQuery(callAnnotationsQuery(uuid));
  if (!data) return null;
  const mayAdd = mayChange && data.open;
  if (!mayAdd && data.tags.length === 0 && data.comments.length === 0) return null;
  const content = (
    <div className="stack">
      <Tags uuid={uuid} tags={data.tags} mayAdd={mayAdd} />
      <Comments comments={data.comments} />
      {mayAdd && <NewComment uuid={uuid} />}
    </div>
  );
  return bare ? content : <Card title={t("calls.tags_and_comments")}>{content}</Card>;
}

function Tags({ uuid, tags, mayAdd }: { uuid: string; tags: Found["tags"]; mayAdd: boolean }) {
  const { t } = useText();
  const list = useId();
  const known = useQuery({ ...callTagsQuery, enabled: mayAdd });
  const { run, busy } = useDoing("call", "calls", "call-tags");
  const [tag, setTag] = useState("");
  const params = { path: { uuid } };
  if (!mayAdd) return <TagLabels tags={tags} />;
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (busy || tag.trim() === "") return;
        const add = () => answer(own.POST("/calls/{uuid}/tags", { params, body: { tag } }));
        void run(add).then((done) => done && setTag(""));
      }}
    >
      {tags.map((one) => (
        <span key={one} className="chip tag">
          {one}
          <IconButton
            icon="close"
            label={t("calls.remove_tag", { tag: one })}
            onClick={() =>
              run(() =>
                answer(own.POST("/calls/{uuid}/tags/remove", { params, body: { tag: one } })),
              )
            }
          />
        </span>
      ))}
      <input
        className="input bar"
        list={list}
        aria-label={t("calls.new_tag")}
        placeholder={t("calls.new_tag")}
        maxLength={TAG_MAX}
        value={tag}
        onChange={({ target: { value } }) => setTag(value)}
      />
      <datalist id={list}>
        {known.data?.map((one) => (
          <option key={one.tag} value={one.tag} />
        ))}
      </datalist>
      {tag.trim() !== "" && (
        <Button small type="submit" busy={busy}>
          {t("calls.add")}
        </Button>
      )}
    </form>
  );
}

function Comments({ comments }: { comments: Found["comments"] }) {
  const { t, dateTime } = useText();
  const { run } = useDoing("call");
  return comments.map(({ id, author, text, at, may_delete }) => (
    <div key={id} className="row firm apart">
      <div>
        <p className="small muted">
          {author ?? t("calls.former_member")} · {dateTime(at)}
        </p>
        <p className="pre">{text}</p>
      </div>
      {may_delete && (
        <IconButton
          icon="trash"
          label={t("calls.delete_comment")}
          onClick={() =>
            run(() => answer(own.DELETE("/call-comments/{id}", { params: { path: { id } } })))
          }
        />
      )}
    </div>
  ));
}

function NewComment({ uuid }: { uuid: string }) {
  const { t } = useText();
  const { run, busy } = useDoing("call");
  const form = useForm({ text: "" }, { draft: `comment/${uuid}` });
  const { text } = form.values;
  const send = () =>
    answer(own.POST("/calls/{uuid}/comments", { params: { path: { uuid } }, body: { text } }));
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void run(send).then((done) => done && form.discard());
      }}
    >
      <AreaField label={t("calls.comment")} rows={2} {...form.bind("text")} />
      {text.trim() !== "" && (
        <div>
          <Button small type="submit" busy={busy}>
            {t("calls.add_comment")}
          </Button>
        </div>
      )}
    </form>
  );
}
