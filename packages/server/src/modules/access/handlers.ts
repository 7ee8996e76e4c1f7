import { access, type AccessGrantInput, type AccessReason } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { actorUserId } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { pointer } from '../../lib/pointers.ts'
import { requireSameId } from '../../kernel/preconditions.ts'
import { resource } from '../../kernel/resource.ts'
import { findMember } from '../identity/users/index.ts'
import { listGrants, type GrantRow } from './grants.ts'
import { levelOn } from './store.ts'
import { presentGrant, refuseWorkspaceKeys, requireGrant, objectGrantHandlers } from './object-grants.ts'
import {
  principalFor,
  atLeast,
  hidden,
  capped,
  isOpenTo,
  levelOf,
  rankOf,
  type Level,
  type Principal,
} from './rules.ts'
import { namedGrantee, putGrants, requireGrantees, revoke, setLevel } from './service.ts'
import type { AccessTarget, AccessTargets } from './targets.ts'

/** Finds the module that holds the targets of a path. */
export type TargetsOf = (object: string) => AccessTargets

type At = { readonly object: string; readonly id: string }

export const accessHandlers = (targetsOf: TargetsOf, forgetMemberships: () => void) =>
  implement(access, {
    ...objectGrantHandlers(forgetMemberships),

    async list(ctx, at) {
      const target = await requireTarget(ctx, targetsOf(at.object), at)
      const grants = await listGrants(ctx.tx, ctx.workspace.workspaceId, target.id)
      return {
        body: {
          data: grants.map((grant) => presentGrant(grant)),
          meta: { viewerAccess: reasonsFor(target.principal, target, grants, await listObjectGrants(ctx, target)) },
        },
      }
    },

    async create(ctx, { body, ...at }) {
      const { targets, target } = await lockTarget(ctx, targetsOf, at)
      const [wanted] = await requireGrantees(ctx, [body.data], () => ['data'])
      refuseHidden(target, [body.data], () => ['data'])
      const [put] = await putGrants(ctx, targets, target, wanted === undefined ? [] : [wanted])
      const { grant, created } = defined(put)
      return { body: { data: presentGrant(grant) }, status: created ? 201 : 200 }
    },

    async createMany(ctx, { body, ...at }) {
      const { targets, target } = await lockTarget(ctx, targetsOf, at)
      const wanted = await requireGrantees(ctx, body.data, (index) => ['data', index])
      refuseHidden(target, body.data, (index) => ['data', index])
      return { body: { data: (await putGrants(ctx, targets, target, wanted)).map(({ grant }) => presentGrant(grant)) } }
    },

    async explain(ctx, { user, ...at }) {
      const target = await requireTarget(ctx, targetsOf(at.object), at)
      const userId = user ?? actorUserId(ctx.actor) ?? ''
      const member = isId(userId) ? await findMember(ctx.tx, ctx.workspace.workspaceId, userId) : undefined
      if (member === undefined)
        throw ctx.fail('unknown_value', { detail: 'There is no member with this id.', source: { parameter: 'user' } })
      const principal = principalFor(target.principal, member)
      const reasons = reasonsFor(
        principal,
        target,
        await listGrants(ctx.tx, ctx.workspace.workspaceId, target.id),
        await listObjectGrants(ctx, target),
      )
      const attributes = {
        user_id: userId,
        role: member.role,
        object_default: principal.objectDefault,
        access_level: levelBy(reasons),
        reasons,
      }
      return { body: { data: resource('access-explanation', target.id, attributes) } }
    },

    async update(ctx, { grant: grantId, body, ...at }) {
      const given = 'data' in body ? body.data : { id: undefined, attributes: body }
      requireSameId(ctx, given.id, grantId)
      const { targets, target } = await lockTarget(ctx, targetsOf, at)
      const grant = await requireGrant(ctx, target, grantId)
      return {
        body: { data: presentGrant(await setLevel(ctx, targets, target, grant, given.attributes.access_level)) },
      }
    },

    async remove(ctx, { grant: grantId, ...at }) {
      const { targets, target } = await lockTarget(ctx, targetsOf, at)
      await revoke(ctx, targets, target, await requireGrant(ctx, target, grantId))
      return { body: {} }
    },
  })

/** 422 for sharing a target with the workspace that declares itself private. */
function refuseHidden(
  { object, visibility }: AccessTarget,
  given: readonly AccessGrantInput[],
  pathOf: (index: number) => readonly (string | number)[],
): void {
  const index = given.findIndex(({ attributes }) => namedGrantee(attributes).grantee_type === 'workspace')
  if (visibility !== hidden || index === -1) return
  const detail =
    `This ${object} is private: it can be shared with single members. To share it with the workspace, ` +
    'change its "visibility" first.'
  throw new Failure({
    code: 'invalid_body',
    detail,
    source: { pointer: pointer([...pathOf(index), 'attributes', 'grantee_type']) },
  })
}

/** Grants on the whole object of a target. */
const listObjectGrants = async (ctx: WorkspaceReadContext, { objectGrantsId }: AccessTarget): Promise<GrantRow[]> =>
  objectGrantsId === undefined ? [] : listGrants(ctx.tx, ctx.workspace.workspaceId, objectGrantsId)

const levelOfTarget = (ctx: WorkspaceReadContext, target: AccessTarget | undefined): Promise<Level> | Level =>
  target === undefined ? 'none' : levelOn(ctx.tx, ctx.workspace.workspaceId, target.principal, target, 'manage')

/** The target of a path, if the caller may see it. */
async function requireTarget(
  ctx: WorkspaceReadContext<'forbidden'>,
  targets: AccessTargets,
  { object, id }: At,
): Promise<AccessTarget> {
  refuseWorkspaceKeys(ctx)
  const [target] = await targets.find(ctx, object, isId(id) ? [id] : [])
  if (target === undefined || !atLeast(await levelOfTarget(ctx, target), 'view'))
    throw await targets.missing(ctx, object, id)
  return target
}

/** The target of a path, locked, if the caller may share it. */
async function lockTarget(ctx: WriteContext, targetsOf: TargetsOf, { object, id }: At) {
  refuseWorkspaceKeys(ctx)
  const targets = targetsOf(object)
  const [target] = await targets.lock(ctx, object, isId(id) ? [id] : [])
  const level = await levelOfTarget(ctx, target)
  if (target === undefined || !atLeast(level, 'view')) throw await targets.missing(ctx, object, id)
  if (!atLeast(level, 'manage'))
    throw ctx.fail('forbidden', { detail: 'You may see this, but not share it: sharing requires the level "manage".' })
  return { targets, target }
}

/** The reasons for a user's access, the highest first: the same parts of which `levelOnRecord` takes the highest. */
function reasonsFor(
  principal: Principal,
  target: Pick<AccessTarget, 'owner_id' | 'visibility' | 'unshared'>,
  grants: readonly GrantRow[],
  onObject: readonly GrantRow[],
): AccessReason[] {
  const { owner_id } = target
  const isOpen = isOpenTo(principal, target)
  const reason = (source: AccessReason['source'], level: Level, grant?: GrantRow): AccessReason[] => {
    const given = capped(principal, level)
    return given === 'none'
      ? []
      : [{ access_level: given, source, grant_id: grant?.id ?? null, grantee_type: grant?.grantee_type ?? null }]
  }
  const isOwn = ({ grantee_type, grantee_id }: GrantRow) =>
    grantee_type === 'workspace' || grantee_id === principal.userId
  return [
    ...reason('role', principal.role === 'admin' ? 'manage' : 'none'),
    ...reason('owner', owner_id !== null && owner_id === principal.userId ? 'manage' : 'none'),
    ...reason('object_default', isOpen ? principal.objectDefault : 'none'),
    ...onObject
      .filter((grant) => isOpen && isOwn(grant))
      .flatMap((grant) => reason('object_grant', levelOf(grant.level), grant)),
    ...grants.filter(isOwn).flatMap((grant) => reason('grant', levelOf(grant.level), grant)),
    ...reason('visibility', levelOf(target.unshared ?? 0)),
  ].toSorted((a, b) => rankOf(b.access_level) - rankOf(a.access_level))
}

/** The level that all reasons together give. */
const levelBy = (reasons: readonly AccessReason[]): Level =>
  reasons.reduce<Level>((level, { access_level }) => (atLeast(level, access_level) ? level : access_level), 'none')
