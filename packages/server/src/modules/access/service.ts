import type { AccessGrantInput, AccessLevel } from '@kontor/contract'
import { actorId, actorUserId } from '../../kernel/actor.ts'
import { Failure, type Fault } from '../../kernel/errors.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { isId } from '../../kernel/ids.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { pointer } from '../../lib/pointers.ts'
import { lockMembers } from '../identity/users/index.ts'
import { deleteGrants, findWorkspaceGrant, insertGrants, listGrants, updateGrants, type GrantRow } from './grants.ts'
import { levelOf, rankOf } from './rules.ts'
import type { AccessTarget, AccessTargets } from './targets.ts'

/** A grant to be made: the grantee in stored form. */
type GrantChange = {
  readonly granteeType: GrantRow['grantee_type']
  readonly granteeId: string
  readonly level: AccessLevel
  readonly notify?: boolean | undefined
}

/** Writes the grant of the workspace to a target, and protects grants of users from being revoked. */
type Sharing = Pick<AccessTargets, 'updateVisibility' | 'takenFrom'>

type PathOf = (index: number) => readonly (string | number)[]

/** The grantee of a grant, under whichever names the body has them; undefined members are absent. */
export function namedGrantee({ delegate_id, delegate_type, ...rest }: AccessGrantInput['attributes']) {
  const grantee_id = rest.grantee_id === undefined ? delegate_id : rest.grantee_id
  const grantee_type = rest.grantee_type ?? delegate_type ?? (typeof grantee_id === 'string' ? 'user' : undefined)
  return {
    ...rest,
    grantee_id,
    grantee_type,
    member: rest.grantee_id === undefined && delegate_id !== undefined ? 'delegate_id' : 'grantee_id',
  }
}

/**
 * Checks the grantees: members, who stay members until the transaction ends, or the workspace; each once. 422
 * otherwise.
 */
export async function requireGrantees(
  ctx: WriteContext,
  given: readonly AccessGrantInput[],
  pathOf: PathOf,
): Promise<GrantChange[]> {
  const { workspaceId } = ctx.workspace
  const named = given.map(({ attributes }) => namedGrantee(attributes))
  const userIds = named.flatMap(({ grantee_type, grantee_id }) =>
    grantee_type === 'user' && typeof grantee_id === 'string' && isId(grantee_id) ? [grantee_id] : [],
  )
  const members = new Set(await lockMembers(ctx.tx, workspaceId, userIds))
  const seen = new Set<string>()
  const faults: Fault[] = []
  const wanted = named.map(({ grantee_type, grantee_id, access_level, notify, member }, index): GrantChange => {
    const granteeId = grantee_type === 'workspace' ? workspaceId : (grantee_id ?? '')
    const fault = (detail: string) =>
      faults.push({
        code: 'invalid_body',
        detail,
        source: { pointer: pointer([...pathOf(index), 'attributes', member]) },
      })
    if (grantee_type === undefined) fault('Send the id of a member, or "grantee_type": "workspace".')
    else if (grantee_type === 'workspace' && typeof grantee_id === 'string')
      fault('Must be null or omitted if the grantee is the workspace.')
    else if (grantee_type === 'user' && !members.has(granteeId)) fault('There is no member with this id.')
    else if (seen.has(granteeId)) fault('This grantee occurs twice.')
    seen.add(granteeId)
    return { granteeType: grantee_type ?? 'user', granteeId, level: access_level, notify }
  })
  if (faults.length > 0) throw new Failure(faults)
  return wanted
}

/**
 * Grants levels on a locked target; a grantee that already has a grant gets the new level. Returns the grants in the
 * order wanted.
 */
export async function putGrants(
  ctx: WriteContext,
  targets: Sharing,
  target: AccessTarget,
  wanted: readonly GrantChange[],
): Promise<{ grant: GrantRow; created: boolean; changed: boolean }[]> {
  const known = new Map(
    (await listGrants(ctx.tx, ctx.workspace.workspaceId, target.id)).map((grant) => [grant.grantee_id, grant]),
  )
  await requireLowerable(
    ctx,
    targets,
    target,
    wanted.flatMap((one) => (one.level === 'manage' ? [] : (known.get(one.granteeId) ?? []))),
  )
  const put = wanted.map((one) => {
    const before = known.get(one.granteeId)
    return {
      before,
      grant: before === undefined ? newGrant(ctx, target, one) : withLevel(ctx, before, one.level),
      notify: one.notify,
    }
  })
  const changed = put.filter(({ before, grant }) => before !== grant)
  await write(ctx, targets, target, changed)
  return put.map(({ before, grant }) => ({ grant, created: before === undefined, changed: before !== grant }))
}

/** Changes the level of a grant; the same level changes nothing. */
export async function setLevel(
  ctx: WriteContext,
  targets: AccessTargets,
  target: AccessTarget,
  before: GrantRow,
  level: AccessLevel,
): Promise<GrantRow> {
  const grant = withLevel(ctx, before, level)
  if (grant !== before) await requireLowerable(ctx, targets, target, [before])
  if (grant !== before) await write(ctx, targets, target, [{ before, grant }])
  return grant
}

/** Revokes a grant. */
export async function revoke(
  ctx: WriteContext,
  targets: Sharing,
  target: AccessTarget,
  grant: GrantRow,
): Promise<void> {
  await requireLowerable(ctx, targets, target, [grant])
  await deleteGrants(ctx.tx, ctx.workspace.workspaceId, [grant])
  if (grant.grantee_type === 'workspace') await targets.updateVisibility(ctx, target, 0)
  await ctx.emit([eventOf(target, 'access.revoked', grant, grant, undefined)])
}

/**
 * 403 for revoking a grant of a user whose record the owner of the target merged into it: that user would lose the
 * record to the owner for good. The user may leave, and admins may remove the user.
 */
async function requireLowerable(
  ctx: WriteContext,
  targets: Sharing,
  target: AccessTarget,
  grants: readonly GrantRow[],
): Promise<void> {
  const managing = grants.filter(
    ({ grantee_id, level }) => level === rankOf('manage') && grantee_id !== actorUserId(ctx.actor),
  )
  if (managing.length === 0 || ctx.workspace.role === 'admin') return
  const former = new Set(await targets.takenFrom?.(ctx, target))
  if (!managing.some(({ grantee_id }) => former.has(grantee_id))) return
  throw ctx.fail('forbidden', {
    detail:
      'The owner of this record has merged one of their records into it: only they or an admin may revoke "manage".',
  })
}

/** Grants the workspace a level on a locked target, or none; the same level changes nothing. */
export async function shareWithWorkspace(
  ctx: WriteContext,
  targets: Sharing,
  target: AccessTarget,
  level: AccessLevel | 'none',
): Promise<void> {
  const { workspaceId } = ctx.workspace
  if (level !== 'none')
    return void (await putGrants(ctx, targets, target, [{ granteeType: 'workspace', granteeId: workspaceId, level }]))
  const grant = await findWorkspaceGrant(ctx.tx, workspaceId, target.id)
  if (grant !== undefined) await revoke(ctx, targets, target, grant)
}

function newGrant(
  ctx: WriteContext,
  { id, objectKey }: AccessTarget,
  { granteeType, granteeId, level }: GrantChange,
): GrantRow {
  const made = { created_at: ctx.now, created_by: actorId(ctx.actor), updated_at: null, updated_by: null }
  return {
    id: ctx.newId(),
    record_id: id,
    grantee_id: granteeId,
    grantee_type: granteeType,
    object: objectKey,
    level: rankOf(level),
    ...made,
  }
}

const withLevel = (ctx: WriteContext, grant: GrantRow, level: AccessLevel): GrantRow =>
  grant.level === rankOf(level)
    ? grant
    : {
        ...grant,
        level: rankOf(level),
        updated_at: Math.max(ctx.now, grant.updated_at ?? grant.created_at),
        updated_by: actorId(ctx.actor),
      }

type Put = { readonly before: GrantRow | undefined; readonly grant: GrantRow; readonly notify?: boolean | undefined }

async function write(ctx: WriteContext, targets: Sharing, target: AccessTarget, put: readonly Put[]): Promise<void> {
  const { workspaceId } = ctx.workspace
  const [made, changed] = [
    put.filter(({ before }) => before === undefined),
    put.filter(({ before }) => before !== undefined),
  ]
  await Promise.all([
    insertGrants(
      ctx.tx,
      workspaceId,
      made.map(({ grant }) => grant),
    ),
    updateGrants(
      ctx.tx,
      workspaceId,
      changed.map(({ grant }) => grant),
    ),
  ])
  const shared = put.find(({ grant }) => grant.grantee_type === 'workspace')
  if (shared !== undefined) await targets.updateVisibility(ctx, target, shared.grant.level)
  await ctx.emit(
    put.map(({ before, grant, notify }) =>
      notifying(
        eventOf(target, before === undefined ? 'access.granted' : 'access.updated', grant, before, grant),
        notify,
      ),
    ),
  )
}

type GrantEvent = DomainEvent<'access.granted' | 'access.updated' | 'access.revoked'>

/** Adds to an event whether the grantee is to be notified; the notifier reads it there. */
const notifying = (event: GrantEvent, notify = true): GrantEvent => ({
  ...event,
  payload: { ...event.payload, notify },
})

function levelIn(grant: GrantRow | undefined): AccessLevel | null {
  const level = grant === undefined ? 'none' : levelOf(grant.level)
  return level === 'none' ? null : level
}

/** The event for the feed of the target; the path of the change names the grantee. */
function eventOf(
  target: AccessTarget,
  type: GrantEvent['type'],
  { id, grantee_type, grantee_id }: GrantRow,
  before: GrantRow | undefined,
  after: GrantRow | undefined,
): GrantEvent {
  const grantee = grantee_type === 'workspace' ? null : grantee_id
  const [val, oldVal] = [levelIn(after), levelIn(before)]
  const op = before === undefined ? 'add' : after === undefined ? 'delete' : 'update'
  const diff = [{ op, path: ['access', grantee ?? 'workspace'], val, oldVal }] as const
  return {
    type,
    object: target.object,
    recordId: target.id,
    payload: { grant_id: id, grantee_type, grantee_id: grantee, access_level: val, diff },
  }
}
