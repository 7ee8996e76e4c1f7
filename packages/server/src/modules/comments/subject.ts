import { SerialisationFailure } from '../../db/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { principalOf, atLeast, levelOn, type Level } from '../access/index.ts'
import { findRecord, lockRecords, type RecordRow } from '../objects/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { findComment, type CommentRow } from './store.ts'

/** Objects that take no comments, including some that have no records at all (spec §7: 422). */
const mute = new Set(['user', 'list', 'message'])

/** Returns whether records of an object take comments. */
export const takesComments = async (ctx: WorkspaceReadContext, entity: string): Promise<boolean> =>
  !mute.has(entity) && (await workspaceSchemas(ctx)).has(entity)

const schemaOf = async (ctx: WorkspaceReadContext, entity: string) => (await workspaceSchemas(ctx)).get(entity)

async function levelOf(ctx: WorkspaceReadContext, entity: string, row: RecordRow | undefined): Promise<Level> {
  const schema = await schemaOf(ctx, entity)
  return row === undefined || schema === undefined
    ? 'none'
    : levelOn(ctx.tx, ctx.workspace.workspaceId, principalOf(ctx, schema, 'read'), row, 'comment')
}

/**
 * The caller's access level on a live record, `none` on any other. The record stays locked as for a change of its own,
 * since comments get a position in its feed.
 */
export async function lockSubject(ctx: WriteContext, entity: string, id: string): Promise<Level> {
  const key = (await schemaOf(ctx, entity))?.keys.object
  const [row] =
    isId(id) && key !== undefined ? await lockRecords(ctx.tx, ctx.workspace.workspaceId, key, [id], 'change') : []
  return levelOf(ctx, entity, row)
}

const unknown = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no comment with this id.' })

/** A comment on a record that the caller may see; 404 for every other. */
export async function requireComment(ctx: WorkspaceReadContext, id: string): Promise<CommentRow> {
  const comment = isId(id) ? await findComment(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (comment === undefined) throw unknown(ctx)
  const key = (await schemaOf(ctx, comment.object))?.keys.object
  const record =
    key === undefined ? undefined : await findRecord(ctx.tx, ctx.workspace.workspaceId, key, comment.record_id)
  if (!atLeast(await levelOf(ctx, comment.object, record), 'view')) throw unknown(ctx)
  return comment
}

/** A comment that is about to change, re-read after its record has been locked. */
export async function lockComment(ctx: WriteContext, id: string): Promise<{ comment: CommentRow; level: Level }> {
  const found = isId(id) ? await findComment(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (found === undefined) throw unknown(ctx)
  const level = await lockSubject(ctx, found.object, found.record_id)
  // Another transaction may have changed or deleted it during the wait, or merged its record.
  const comment = await findComment(ctx.tx, ctx.workspace.workspaceId, id)
  if (comment !== undefined && comment.record_id !== found.record_id)
    throw new SerialisationFailure('The comment has moved')
  if (comment === undefined || !atLeast(level, 'view')) throw unknown(ctx)
  return { comment, level }
}
