import type { ReadTx } from '../../db/tx.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { listAuthors } from '../comments/index.ts'
import { contextOf as actingContextOf } from '../identity/acting/index.ts'
import { hiddenLists } from '../lists/index.ts'
import { compileObject, listLive, usersIn } from '../objects/index.ts'
import { sightOf } from '../records/index.ts'
import type { SchemaSet } from '../schemas/index.ts'
import type { Notice, NoticePayload } from './notices.ts'

/** A notice and one of the people whom it is for. */
export type NoticeReader = { readonly notice: Notice; readonly userId: string }

/** Kinds of notices without a person as their cause, though their owner is named as the actor. */
const byThemselves: ReadonlySet<string> = new Set(['workflow_failure', 'webhook_failure', 'webhook_recovery'])

/**
 * The people whom notices are for: once each, and not the one who has done it. A person who is mentioned in a comment
 * is not told of the comment as well.
 */
export async function audienceOf(
  tx: ReadTx,
  workspaceId: string,
  schemas: SchemaSet,
  { by, notices }: NoticePayload,
): Promise<NoticeReader[]> {
  const readersOf = await findReaders(
    tx,
    workspaceId,
    schemas,
    notices.filter(({ kind }) => kind === 'comment'),
  )
  const told = new Map<string, NoticeReader>()
  for (const notice of notices) {
    const { kind, record_id: id, comment_id, run_id, user_ids } = notice
    const readers = kind === 'comment' ? readersOf(id) : user_ids
    const others = byThemselves.has(kind) ? readers : readers.filter((userId) => userId !== (by.for ?? by.id))
    for (const userId of others) {
      const key = [userId, comment_id === null ? kind : '', id, comment_id, run_id].join(' ')
      if (!told.has(key)) told.set(key, { notice, userId })
    }
  }
  return [...told.values()]
}

/** The people who follow the comments on records: in charge of a record, or authors of a comment on it. */
async function findReaders(
  tx: ReadTx,
  workspaceId: string,
  { schemas }: SchemaSet,
  notices: readonly Notice[],
): Promise<(recordId: string) => string[]> {
  const inCharge = new Map<string, string[]>()
  for (const [name, some] of Map.groupBy(notices, ({ object }) => object)) {
    const schema = schemas.get(name)
    const object = schema && compileObject(schema)
    const ids = some.map(({ record_id }) => record_id)
    const rows = object === undefined ? [] : await listLive(tx, workspaceId, object.key, ids)
    for (const { id, data } of rows) inCharge.set(id, object === undefined ? [] : usersIn(object, data))
  }
  const authors = await listAuthors(
    tx,
    workspaceId,
    notices.map(({ record_id }) => record_id),
  )
  return (id) => [...(inCharge.get(id) ?? []), ...(authors.get(id) ?? [])]
}

/** The members who see what their notice is about. */
export async function keepSeen(
  tx: ReadTx,
  at: WorkspaceNow,
  schemas: SchemaSet,
  told: readonly NoticeReader[],
): Promise<NoticeReader[]> {
  const kept: NoticeReader[] = []
  for (const [userId, some] of Map.groupBy(told, (one) => one.userId)) {
    const ctx = await contextOf(tx, at, schemas, userId)
    if (ctx !== undefined) kept.push(...(await seenBy(ctx, some)))
  }
  return kept
}

/** The context in which a member reads; undefined for a person who is none. */
export async function contextOf(
  tx: ReadTx,
  at: WorkspaceNow,
  schemas: SchemaSet,
  userId: string,
): Promise<WorkspaceReadContext | undefined> {
  const actor: Actor = { kind: 'user', userId, scopes: [], onlyWorkspaceId: at.workspaceId }
  const ctx = await actingContextOf(tx, at, async () => schemas, actor)
  return 'stopped' in ctx ? undefined : ctx
}

async function seenBy(ctx: WorkspaceReadContext, told: readonly NoticeReader[]): Promise<NoticeReader[]> {
  const idsOf = (isWanted: (object: string) => boolean) =>
    told.flatMap(({ notice }) => (isWanted(notice.object) ? [notice.record_id] : []))
  const [sight, lists] = await Promise.all([
    sightOf(
      ctx,
      idsOf((object) => !plain.has(object)),
    ),
    hiddenLists(
      ctx,
      idsOf((object) => object === 'list'),
    ),
  ])
  return told.filter(({ notice: { object, record_id: id } }) => {
    if (object === 'list') return !lists.has(id)
    return plain.has(object) || sight.shows(object, id)
  })
}

/** Subjects of notices that are not records. */
const plain: ReadonlySet<string> = new Set(['list', 'schema', 'webhook', 'workflow'])
