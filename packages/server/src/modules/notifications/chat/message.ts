import type { ReadTx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { listMemberNames } from '../../identity/users/index.ts'
import { listTitles } from '../../query/index.ts'
import { sightOf } from '../../records/index.ts'
import { contextAs } from '../../identity/acting/index.ts'
import type { SchemaSet } from '../../schemas/index.ts'
import type { Notice, NoticePayload } from '../notices.ts'
import { sentenceOf, subjectOf } from '../sentence.ts'

/** Sentences of one message; a change of many records is not told record by record. */
const sentencesMax = 10

/** Returns whether the chat receives a notice: shares and mentions are between people. */
const isForAll = ({ kind }: Notice): boolean => kind !== 'share' && kind !== 'mention'

/**
 * Returns the chat message about a change: only what every member may see, as a key of the workspace does.
 * Undefined where that is nothing.
 */
export async function messageOf(
  tx: ReadTx,
  at: WorkspaceNow,
  schemas: SchemaSet,
  { by, notices }: NoticePayload,
): Promise<string | undefined> {
  const { workspaceId } = at
  const actor = { kind: 'workspace-key', keyId: '', workspaceId, scopes: [] } as const
  const ctx = contextAs(tx, at, schemas, actor, 'member')
  const open = await keepOpen(ctx, notices.filter(isForAll))
  if (open.length === 0) return undefined
  const told = open.slice(0, sentencesMax)
  const [titles, names] = await Promise.all([
    listTitles(
      ctx,
      told.map(({ object, record_id: id }) => ({ object, id })),
    ),
    listMemberNames(tx, workspaceId, [by.id, ...told.flatMap(({ user_ids }) => user_ids)]),
  ])
  const nameOf = (id: string): string => names.get(id) ?? 'a member'
  const sentences = told.map(({ kind, object, record_id, user_ids }) =>
    sentenceOf({
      kind,
      who: names.get(by.id) ?? 'A program',
      whom: user_ids.map(nameOf).join(', '),
      what: subjectOf(object, titles.get(record_id)),
    }),
  )
  const more = open.length > told.length ? [`And ${open.length - told.length} more.`] : []
  return [...sentences, ...more].map(escaped).join('\n')
}

async function keepOpen(ctx: WorkspaceReadContext, notices: readonly Notice[]): Promise<Notice[]> {
  const records = notices.filter(({ object }) => object !== 'workflow')
  const sight = await sightOf(
    ctx,
    records.map(({ record_id }) => record_id),
  )
  return notices.filter(({ object, record_id: id }) => object === 'workflow' || sight.shows(object, id))
}

/** Names must not become links or mentions of the chat. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
