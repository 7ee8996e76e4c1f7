import { isDeepStrictEqual } from 'node:util'
import type { Input, ListPermission, lists, ListQuery } from '@kontor/contract'
import { defined, memberOf } from '../../lib/guards.ts'
import { actorId, actorUserId } from '../../kernel/actor.ts'
import type { ErrorSource } from '../../kernel/errors.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { requireSameId } from '../../kernel/preconditions.ts'
import { shareWithWorkspace } from '../access/index.ts'
import { findObject, type ObjectModel } from '../objects/index.ts'
import { holdSchemas } from '../schemas/index.ts'
import { listTargets, targetOf } from './access-targets.ts'
import { enqueueClean, cleanList } from './clean.ts'
import { startFollowing } from '../events/index.ts'
import { consumerName } from './evaluate/store.ts'
import { enqueueEvaluation, evaluateList } from './evaluate/whole.ts'
import { listPrincipal, requireChangeable, type FoundList } from './find.ts'
import { resolveQuery, resolveStored } from './query/resolve.ts'
import { deleteList, insertList, levels, updateList, visibilities, type ListRow } from './store.ts'
import type { EvaluationServices } from './evaluate/settle.ts'
import { pointer } from '../../lib/pointers.ts'

type QueryWriteContext = WriteContext<'unknown_field' | 'unknown_operator' | 'unknown_value' | 'unsupported_sql'>
type ListPath = { readonly object: string; readonly list: string }
type Created = Pick<FoundList, 'object' | 'row'>

/**
 * Creates a list that its creator owns; a workspace key owns nothing, so its lists are open to all members unless it
 * says otherwise.
 */
export async function createList(
  ctx: QueryWriteContext,
  name: string,
  body: Input<typeof lists.create>['body'],
): Promise<Created> {
  const { attributes, path } = given(body)
  // The names in a query stay valid until it is stored; later it is renamed with all others.
  if (attributes.query !== undefined) await holdSchemas(ctx)
  const { object } = await findObject(ctx, name, 'name')
  const query = await checkQuery(ctx, object, attributes.type, attributes.query, sourceOf({ path }, 'query'))
  const ownerId = actorUserId(ctx.actor)
  const by = actorId(ctx.actor)
  const row: ListRow = {
    id: ctx.newId(),
    object: object.key,
    visibility: 0,
    owner_id: ownerId,
    version: 1,
    title: attributes.title,
    emoji: attributes.emoji ?? '',
    description: attributes.description ?? '',
    type: attributes.type,
    state: attributes.state ?? 'published',
    layout: attributes.layout ?? 'table',
    options: attributes.options ?? {},
    query,
    query_version_id: query && ctx.newId(),
    rank: attributes.rank ?? 0,
    applied_version_id: null,
    evaluation_status: 'idle',
    evaluation_started_at: null,
    evaluated_at: null,
    created_at: ctx.now,
    created_by: by,
    updated_at: ctx.now,
    updated_by: by,
  }
  await insertList(ctx.tx, ctx.workspace.workspaceId, row)
  await tell(ctx, 'list.created', row)
  return {
    object,
    row: await begin(
      ctx,
      await share(ctx, row, attributes.permission ?? (ownerId === null ? 'workspace_edit' : 'private')),
    ),
  }
}

/** Changes a list; a change without a difference leaves no trace. */
export async function changeList(
  ctx: QueryWriteContext,
  list: ListPath,
  body: Input<typeof lists.update>['body'],
): Promise<Created> {
  const { attributes, path, id } = given(body)
  if (attributes.query !== undefined) await holdSchemas(ctx)
  const { object, row } = await requireChangeable(ctx, list, attributes.permission === undefined ? 'edit' : 'manage')
  requireSameId(ctx, id, list.list)
  const { permission, query, emoji, description, ...others } = attributes
  const wanted = {
    ...others,
    ...(emoji !== undefined && { emoji: emoji ?? '' }),
    ...(description !== undefined && { description: description ?? '' }),
    ...(query !== undefined && { query: await checkQuery(ctx, object, row.type, query, sourceOf({ path }, 'query')) }),
  }
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, memberOf(row, name)),
    ),
  )
  if ('query' in changed && !mayWriteQuery(ctx, row)) {
    throw ctx.fail('forbidden', {
      detail:
        'Only the owner or an admin may change the query of this list: it is evaluated with the access of the owner.',
    })
  }
  const shared = permission === undefined ? row : await share(ctx, row, permission)
  if (Object.keys(changed).length === 0 && shared === row) return { object, row }
  const isAnother = 'query' in changed
  const written = await rewrite(
    ctx,
    shared,
    { ...changed, ...(isAnother && { query_version_id: ctx.newId(), evaluation_status: 'idle' }) },
    'list.updated',
  )
  return { object, row: isAnother ? await begin(ctx, written) : written }
}

/**
 * Any other user who changed the query of a list could query what they may not see, and read the answer in the feeds of
 * records.
 */
const mayWriteQuery = ({ actor, workspace }: WriteContext, { owner_id }: ListRow): boolean =>
  owner_id === null || workspace.role === 'admin' || owner_id === actorUserId(actor)

/** Grants the workspace the level of a permission; a level between those of permissions counts as the one below it. */
async function share(ctx: WriteContext, row: ListRow, permission: ListPermission): Promise<ListRow> {
  if (visibilities[permission].includes(row.visibility)) return row
  await shareWithWorkspace(ctx, listTargets, targetOf(listPrincipal(ctx), row), levels[permission])
  return { ...row, visibility: defined(visibilities[permission][0]) }
}

/** Enqueues the evaluation of a published dynamic list, and follows changes of records from here on. */
async function begin(ctx: WriteContext, row: ListRow): Promise<ListRow> {
  if (row.type !== 'dynamic' || row.state !== 'published') return row
  const {
    tx,
    workspace: { workspaceId },
    clockNow,
  } = ctx
  const begun = { evaluation_status: 'evaluating', evaluation_started_at: clockNow } as const
  await updateList(tx, workspaceId, row.id, begun)
  await startFollowing(tx, workspaceId, consumerName)
  await enqueueEvaluation(tx, workspaceId, row.id, clockNow)
  return { ...row, ...begun }
}

/** Publishes a list; 409 if its query no longer fits the schemas. */
export async function publishList(ctx: WriteContext<'list_broken'>, path: ListPath): Promise<Created> {
  const found = await requireChangeable(ctx, path, 'edit')
  const { object, row } = found
  if (row.state === 'published') return found
  await resolveStored(ctx, found)
  return { object, row: await begin(ctx, await rewrite(ctx, row, { state: 'published' }, 'list.published')) }
}

/** Makes a list a draft again: its records stay in it, and none join or leave. */
export async function unpublishList(ctx: WriteContext, path: ListPath): Promise<Created> {
  const { object, row } = await requireChangeable(ctx, path, 'edit')
  if (row.state === 'draft') return { object, row }
  return {
    object,
    row: await rewrite(
      ctx,
      row,
      { state: 'draft', ...(row.evaluation_status === 'evaluating' && { evaluation_status: 'idle' }) },
      'list.unpublished',
    ),
  }
}

/** Deletes a list for good; a background job removes its entries. */
export async function removeList(ctx: WriteContext, path: ListPath): Promise<string> {
  const { row } = await requireChangeable(ctx, path, 'manage')
  const { workspaceId } = ctx.workspace
  await deleteList(ctx.tx, workspaceId, row.id)
  await enqueueClean(ctx.tx, workspaceId, row.id, ctx.clockNow)
  await tell(ctx, 'list.deleted', row)
  return row.id
}

type ListEvent = 'list.created' | 'list.updated' | 'list.published' | 'list.unpublished' | 'list.deleted'

async function rewrite(ctx: WriteContext, row: ListRow, changes: Partial<ListRow>, event: ListEvent): Promise<ListRow> {
  const written = {
    ...changes,
    version: row.version + 1,
    updated_at: Math.max(ctx.now, row.updated_at),
    updated_by: actorId(ctx.actor),
  }
  await updateList(ctx.tx, ctx.workspace.workspaceId, row.id, written)
  await tell(ctx, event, row)
  return { ...row, ...written }
}

/** Emits an event of a list. Readers of the log see only its id: its title is for those who may see the list. */
const tell = (ctx: WriteContext, type: ListEvent, { id }: Pick<ListRow, 'id'>): Promise<void> =>
  ctx.emit([{ type, object: 'list', recordId: id, payload: {} }])

/** Checks the query of a list: a dynamic list has one that fits the schemas, and a static list has none. */
async function checkQuery(
  ctx: QueryWriteContext,
  object: ObjectModel,
  type: ListRow['type'],
  query: ListQuery | undefined,
  source: ErrorSource & { pointer: string },
): Promise<ListQuery | null> {
  if (type === 'static') {
    if (query !== undefined)
      throw ctx.fail('invalid_body', { detail: 'A static list has no query: records are added to it.', source })
    return null
  }
  if (query === undefined) throw ctx.fail('invalid_body', { detail: 'A dynamic list requires a query.', source })
  await resolveQuery(ctx, object, query, source.pointer)
  return query
}

/** The background jobs of lists. */
export const listJobs = (services: EvaluationServices) => [cleanList, evaluateList(services)] as const

/** Attributes, and their location in the body. */
type GivenAttributes<A> = { readonly attributes: A; readonly path: readonly string[] }

type Wrapped<A> = { readonly data: { readonly id?: string | undefined; readonly attributes: A } }

const isWrapped = <A extends object>(body: A | Wrapped<A>): body is Wrapped<A> => 'data' in body

/** The attributes of a body, which are sent bare or in the envelope of a resource. */
const given = <A extends object>(body: A | Wrapped<A>): GivenAttributes<A> & { readonly id: string | undefined } =>
  isWrapped(body)
    ? { attributes: body.data.attributes, path: ['data', 'attributes'], id: body.data.id }
    : { attributes: body, path: [], id: undefined }

/** The location of a part of the attributes, for an error that points there. */
const sourceOf = (
  { path }: Pick<GivenAttributes<unknown>, 'path'>,
  ...below: readonly (string | number)[]
): { pointer: string } => ({ pointer: pointer([...path, ...below]) })
