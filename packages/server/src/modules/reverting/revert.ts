import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../kernel/errors.ts'
import { isList, isString } from '../../lib/guards.ts'
import type { RunEvent } from '../activities/index.ts'
import { atLeast, levelOn } from '../access/index.ts'
import { mergedIdsKey } from '../fields/index.ts'
import { findObject, findRecord, type ObjectModel, type RecordRow } from '../objects/index.ts'
import { access, type UndoConflict } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { CallByName } from '../../kernel/invoke/in-process.ts'

/** Attempts at a record that others change at the same moment. */
const attemptsMax = 5

/**
 * Takes one event of a run back; returns what was left as it is. It looks at how things are before it does anything, so
 * that it may be done again after a crash.
 */
export async function revert(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  const take = reverts[event.type]
  if (take === undefined || event.object === 'schema') return left('not_undoable', 'This change cannot be reverted.')
  for (let attempt = 1; ; attempt++) {
    try {
      return await take(undoing, event)
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500 || error.retryAfterSeconds !== undefined) throw error
      if (error.code !== 'version_mismatch' || attempt === attemptsMax)
        return left('refused', `${error.code}: ${error.message}`.slice(0, 500))
    }
  }
}

type Revert = (undoing: Undoing, event: RunEvent) => Promise<Left[]>

const reverts: Readonly<Partial<Record<string, Revert>>> = {
  'svc:create': removeCreated,
  'svc:update': restoreValues,
  'svc:delete': async (undoing, event) => {
    const { row } = await find(undoing, event)
    const body = { items: [event.record_id] }
    if (row === undefined) await undoing.call('records.restore', { ...scopeOf(undoing, event), body })
    return []
  },
  'svc:restore': async (undoing, event) => {
    const { row } = await find(undoing, event)
    if (row !== undefined) await undoing.call('records.remove', { ...scopeOf(undoing, event), id: event.record_id })
    return []
  },
  'svc:set-relationship': (undoing, event) => changeLinks('relationships.remove', undoing, event),
  'svc:unset-relationship': (undoing, event) => changeLinks('relationships.add', undoing, event),
  'svc:add-to-list': (undoing, event) => changeEntry('lists.removeRecords', undoing, event),
  'svc:remove-from-list': (undoing, event) => changeEntry('lists.addRecords', undoing, event),
  'svc:grant-access': restoreLevel,
  'svc:update-access': restoreLevel,
  'svc:revoke-access': restoreLevel,
  'comment:create': async ({ call, slug }, { diff }) => {
    const id = diff[0]?.path[1]
    await call('comments.remove', { workspace: slug, id }).catch(unlessGone)
    return []
  },
}

type Found = { readonly object: ObjectModel; readonly row: RecordRow | undefined }

/** The record of an event; one that the person may not see is as one that is deleted. */
async function find({ ctx }: Undoing, { object: name, record_id: id }: RunEvent): Promise<Found> {
  const { object, principal } = await findObject(ctx, name, 'read')
  const { workspaceId } = ctx.workspace
  const row = await findRecord(ctx.tx, workspaceId, object.key, id)
  const isSeen = row !== undefined && atLeast(await levelOn(ctx.tx, workspaceId, principal, row, 'view'), 'view')
  return { object, row: isSeen ? row : undefined }
}

const valueOf = ({ object }: Found, row: RecordRow, name: string): unknown => {
  const field = object.attributes.find((one) => one.name === name)
  return field === undefined ? undefined : (row.data[field.key] ?? null)
}

const versionOf = ({ version }: RecordRow) => ({ ifMatch: `"${version}"` })

/** Deletes a record that is as the run created it. */
async function removeCreated(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  const found = await find(undoing, event)
  const { object, row } = found
  if (row === undefined) return []
  const made = new Map(event.diff.map(({ path: [name], val }) => [name, val ?? null]))
  const other = object.attributes.find(
    ({ name }) => !isDeepStrictEqual(valueOf(found, row, name), made.get(name) ?? null),
  )
  if (other !== undefined) return changed(other.name)
  if (row.data[mergedIdsKey] !== undefined) return left('changed', 'Other records have been merged into this one.')
  await undoing.call('records.remove', { ...scopeOf(undoing, event), id: row.id }, versionOf(row))
  return []
}

/** Gives fields the values that they had before, where they still have those of the run. */
async function restoreValues(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  if (event.diff[0]?.path[0] === 'attachments') return removeAttachment(undoing, event)
  const found = await find(undoing, event)
  const { row } = found
  if (row === undefined) return gone
  const attributes: Record<string, unknown> = {}
  const conflicts: Left[] = []
  for (const { path, val = null, oldVal = null } of event.diff) {
    const name = path[0] ?? ''
    const current = valueOf(found, row, name)
    if (isDeepStrictEqual(current, val)) attributes[name] = oldVal
    else if (!isDeepStrictEqual(current, oldVal)) conflicts.push(...changed(name))
  }
  if (Object.keys(attributes).length > 0) {
    const body = { data: { type: event.object, attributes } }
    await undoing.call('records.update', { ...scopeOf(undoing, event), id: row.id, body }, versionOf(row))
  }
  return conflicts
}

async function removeAttachment(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  const [change] = event.diff
  if (change?.op !== 'add') return left('not_undoable', 'The attachment is deleted permanently.')
  const attachment = { ...scopeOf(undoing, event), id: event.record_id, attachmentId: change.path[1] }
  await undoing.call('attachments.remove', attachment).catch(unlessGone)
  return []
}

/** Each end of a link has an event; the second finds that there is nothing left to do. */
async function changeLinks(
  operation: 'relationships.add' | 'relationships.remove',
  undoing: Undoing,
  event: RunEvent,
): Promise<Left[]> {
  const { object, row } = await find(undoing, event)
  if (row === undefined) return operation === 'relationships.remove' ? [] : gone
  const [change] = event.diff
  const relationship = change?.path[0] ?? ''
  const ids = [change?.val, change?.oldVal].flatMap((value) => (isList(value) ? value.filter(isString) : []))
  const type = [...object.fields.values()].find(({ name }) => name === relationship)?.relationship?.entity
  const body = { data: ids.map((id) => ({ type, id })) }
  await undoing.call(operation, { ...scopeOf(undoing, event), id: row.id, relationship, body })
  return []
}

async function changeEntry(
  operation: 'lists.addRecords' | 'lists.removeRecords',
  undoing: Undoing,
  event: RunEvent,
): Promise<Left[]> {
  const [change] = event.diff
  const list = change?.val ?? change?.oldVal
  const body = { data: [{ type: event.object, id: event.record_id }] }
  await undoing.call(operation, { ...scopeOf(undoing, event), list, body }).catch(unlessGone)
  return []
}

const targetOf = (undoing: Undoing, event: RunEvent) => ({ ...scopeOf(undoing, event), id: event.record_id })

/** Gives a member or the workspace the level back that the run changed, where they still have that of the run. */
async function restoreLevel(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  const [change] = event.diff
  const grantee = change?.path[1] === 'workspace' ? null : change?.path[1]
  const target = targetOf(undoing, event)
  const grants = await listGrants(undoing, target)
  if (grants === undefined) return gone
  const grant = grants.find(({ attributes }) => attributes.grantee_id === grantee)
  const level = grant?.attributes.access_level ?? null
  const [made, before] = [change?.val ?? null, change?.oldVal ?? null]
  if (level === before) return []
  if (level !== made) return changed('access')
  if (before !== null) {
    const attributes = {
      grantee_type: grantee === null ? 'workspace' : 'user',
      grantee_id: grantee,
      access_level: before,
      notify: false,
    }
    await undoing.call('access.create', { ...target, body: { data: { type: 'object-record-access', attributes } } })
  } else if (grant !== undefined) await undoing.call('access.remove', { ...target, grant: grant.id })
  return []
}

/** The grants on what was shared, as the person sees them; undefined where it is there no more. */
async function listGrants({ read }: Undoing, target: ReturnType<typeof targetOf>) {
  try {
    return access.list.response.parse(await read('access.list', target)).data
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined
    throw error
  }
}

/** The means to undo a run: reads and calls of the API, both as the person who asked for it. */
type Undoing = {
  readonly ctx: WorkspaceReadContext
  /** A change as that person, silent if they wish. */
  readonly call: CallByName
  readonly read: CallByName
  readonly slug: string
}

/** A change that was left as it is. */
type Left = Pick<UndoConflict, 'field' | 'reason' | 'detail'>

const left = (reason: Left['reason'], detail: string, field: string | null = null): Left[] => [
  { field, reason, detail },
]

const gone = left('gone', 'The record is deleted, or you may not see it.')
const changed = (field: string) => left('changed', `"${field}" has been changed since.`, field)

/** Where the record of an event is. */
const scopeOf = ({ slug }: Undoing, { object }: RunEvent) => ({ workspace: slug, object })

/** Accepts that a record is deleted already. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'not_found') throw error
}
