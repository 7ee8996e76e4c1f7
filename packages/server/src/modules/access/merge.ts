import type { Change } from '@kontor/contract'
import { actorId, actorUserId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { holdsScope } from '../../kernel/authorise.ts'
import { lockMembers } from '../identity/users/index.ts'
import { deleteGrants, insertGrants, listGrantsOfMany, updateGrants, type GrantRow } from './grants.ts'
import { levelOn } from './store.ts'
import { atLeast, hidden, levelOf, rankOf, type Securable } from './rules.ts'
import type { AccessTarget } from './targets.ts'

/** A target that is merged into another, and the owners of what was merged into it before. */
export type MergeSource = Securable & { readonly formerOwners: readonly string[] }

export type MergedGrants = {
  /** Changes of the grants on the target, as in the feed. */
  readonly changes: readonly Change[]
  /** The `visibility` of the target after the merge. */
  readonly visibility: number
}

const manage = rankOf('manage')

/**
 * Gives the target of a merge the grants of its sources, as far as the caller could have given them there: all of them
 * if the caller may share the target, none otherwise. The owners of the sources manage the target either way, so that
 * no user loses a record by another's action; only the caller gains nothing that they could not have granted.
 * Everything is locked. Grantees who are no longer members get nothing.
 */
export async function mergeGrants(
  ctx: WriteContext,
  target: AccessTarget,
  sources: readonly MergeSource[],
): Promise<MergedGrants> {
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const all = await listGrantsOfMany(tx, workspaceId, [target.id, ...sources.map(({ id }) => id)])
  const own = new Map(all.filter(({ record_id }) => record_id === target.id).map((grant) => [grant.grantee_id, grant]))
  const given = all.filter(({ record_id }) => record_id !== target.id)
  // A private target stays private.
  const movable = given.filter(({ grantee_type }) => grantee_type === 'user' || target.visibility !== hidden)
  const wanted = (await mayShare(ctx, target))
    ? [...movable, ...ownersOf(ctx, target, sources)]
    : keptOf(ctx, target, sources, given)
  const members = new Set(
    await lockMembers(
      tx,
      workspaceId,
      wanted.flatMap(({ grantee_type, grantee_id }) => (grantee_type === 'user' ? [grantee_id] : [])),
    ),
  )
  const better = highestOf(
    wanted.filter(({ grantee_type, grantee_id }) => grantee_type === 'workspace' || members.has(grantee_id)),
  ).filter(({ grantee_id, level }) => level > (own.get(grantee_id)?.level ?? 0))
  const raised = better.flatMap((grant) => raisedOf(ctx, own.get(grant.grantee_id), grant.level))
  const made = better
    .filter(({ grantee_id }) => !own.has(grantee_id))
    .map((grant) => ({ ...grant, record_id: target.id }))
  await deleteGrants(tx, workspaceId, given)
  await updateGrants(tx, workspaceId, raised)
  await insertGrants(tx, workspaceId, made)
  const shared = better.find(({ grantee_type }) => grantee_type === 'workspace')
  return {
    changes: better.map((grant) => changeOf(grant, own.get(grant.grantee_id))),
    visibility: shared === undefined ? target.visibility : Math.max(shared.level, target.visibility),
  }
}

/**
 * Tells whether the caller could grant anything on the target: workspace keys share nothing, nor do keys and apps whose
 * scopes exclude it.
 */
const mayShare = async (ctx: WriteContext, target: AccessTarget): Promise<boolean> =>
  actorUserId(ctx.actor) !== null &&
  holdsScope(ctx.actor, 'access:write', target.object) &&
  atLeast(await levelOn(ctx.tx, ctx.workspace.workspaceId, target.principal, target, 'manage'), 'manage')

/** Grants for the owners of the sources, except the owner of the target, who needs none. */
function ownersOf(ctx: WriteContext, target: AccessTarget, sources: readonly Securable[]): GrantRow[] {
  const owners = new Set(
    sources.flatMap(({ owner_id }) => (owner_id === null || owner_id === target.owner_id ? [] : [owner_id])),
  )
  const made = { created_at: ctx.now, created_by: actorId(ctx.actor), updated_at: null, updated_by: null }
  return [...owners].map((owner) => ({
    id: ctx.newId(),
    record_id: target.id,
    grantee_id: owner,
    grantee_type: 'user',
    object: target.objectKey,
    level: manage,
    ...made,
  }))
}

/**
 * Grants for a target that the caller may not share: the owners of the sources keep what they had, and so do the owners
 * of what was merged into a source, if they still manage it. The caller gets none, because that would raise their own
 * level.
 */
function keptOf(
  ctx: WriteContext,
  target: AccessTarget,
  sources: readonly MergeSource[],
  given: readonly GrantRow[],
): GrantRow[] {
  const former = new Map(sources.map(({ id, formerOwners }) => [id, new Set(formerOwners)]))
  const inherited = given.filter(
    ({ record_id, grantee_id, level }) => level === manage && former.get(record_id)?.has(grantee_id) === true,
  )
  return [...ownersOf(ctx, target, sources), ...inherited].filter(
    ({ grantee_id }) => grantee_id !== actorUserId(ctx.actor) && grantee_id !== target.owner_id,
  )
}

/** The highest grant of each grantee; of equal ones the first. */
const highestOf = (grants: readonly GrantRow[]): GrantRow[] =>
  [...Map.groupBy(grants, ({ grantee_id }) => grantee_id).values()].map((some) =>
    some.reduce((one, other) => (other.level > one.level ? other : one)),
  )

const raisedOf = (ctx: WriteContext, before: GrantRow | undefined, level: number): GrantRow[] =>
  before === undefined
    ? []
    : [
        {
          ...before,
          level,
          updated_at: Math.max(ctx.now, before.updated_at ?? before.created_at),
          updated_by: actorId(ctx.actor),
        },
      ]

const changeOf = ({ grantee_type, grantee_id, level }: GrantRow, before: GrantRow | undefined): Change => ({
  op: before === undefined ? 'add' : 'update',
  path: ['access', grantee_type === 'workspace' ? 'workspace' : grantee_id],
  val: levelOf(level),
  oldVal: before === undefined ? null : levelOf(before.level),
})
