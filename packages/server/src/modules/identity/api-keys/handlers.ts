import { apiKeys, webhookOfScope, apiKeySortColumns, type Input, type Output } from '@kontor/contract'
import { textOf } from '../../../lib/guards.ts'
import { actorUserId, type Membership } from '../../../kernel/actor.ts'
import { hashSecret, isId } from '../../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { shortPage } from '../../../kernel/short-page.ts'
import { requireSameId } from '../../../kernel/preconditions.ts'
import { presenterOf } from '../../../kernel/resource.ts'
import { overlapEnd, requireFewEarlier } from '../../../kernel/secret-overlaps.ts'
import { expectExpiry } from '../endings/index.ts'
import { newKey, shownPrefix, type KeyAuthenticator } from './authenticate.ts'
import { revocationOf, told, about } from './revoke.ts'
import { listRetired, replaceRetired } from './retired.ts'
import { mayHandleScopes } from './rules.ts'
import {
  deleteKey,
  findKey,
  insertKey,
  keysIn,
  lockKey,
  replaceSecret,
  updateKey,
  type ApiKeyRow,
  type KeyView,
} from './store.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

const viewOf = ({ actor, workspace }: WorkspaceReadContext): KeyView => ({
  workspaceId: workspace.workspaceId,
  userId: actorUserId(actor),
  seesWorkspaceKeys: workspace.role === 'admin',
})

const sorting = {
  columns: sortedColumns(apiKeySortColumns),
  otherwise: { column: 'created_at', descending: false },
} as const

/** Returns whether a caller sees a webhook, whose deliveries they give to a key. */
type SeesWebhook = (ctx: WorkspaceReadContext, id: string) => Promise<boolean>

/** The handlers; they invalidate a key in the `authenticator` when it changes. */
export const apiKeyHandlers = (authenticator: KeyAuthenticator, seesWebhook: SeesWebhook) =>
  implement(apiKeys, {
    async list(ctx, input) {
      const { rows, ...envelope } = await shortPage(ctx, apiKeys.list, input, { ...sorting, read: keysIn(viewOf(ctx)) })
      return { body: { data: rows.map(presentKey), ...envelope } }
    },

    async create(ctx, { body }) {
      const given = body.data.attributes
      if (given.actor_type === 'workspace') requireAdmin(ctx, ctx.workspace)
      requireScopes(ctx, given.scopes)
      await requireWebhooks(ctx, given.scopes, seesWebhook)
      const { row, key } = makeKey(ctx, given)
      await insertKey(ctx.tx, row)
      await expectExpiry(ctx.tx, row, ctx.clockNow)
      await ctx.emit([{ type: 'api_key.created', ...about(row), payload: { ...told(row), scopes: row.scopes } }])
      return { body: { data: withSecret(row, key) } }
    },

    get: async (ctx, { id }) => ({
      body: {
        data: presentKey(requireKey(ctx, isId(id) ? await findKey(ctx.tx, ctx.workspace.workspaceId, id) : undefined)),
      },
    }),

    async update(ctx, { id, body }) {
      const row = await requireChangeableKey(ctx, id)
      requireSameId(ctx, body.data.id, id)
      const { name } = body.data.attributes
      if (name === row.name) return { body: { data: presentKey(row) } }
      const changed = { ...row, name, updated_at: ctx.now }
      await updateKey(ctx.tx, { workspace_id: row.workspace_id, id, name, updated_at: ctx.now })
      await ctx.emit([
        { type: 'api_key.updated', ...about(row), payload: { ...told(changed), previous_name: row.name } },
      ])
      return { body: { data: presentKey(changed) } }
    },

    async remove(ctx, { id }) {
      const row = await requireChangeableKey(ctx, id)
      await deleteKey(ctx.tx, row.workspace_id, id)
      await ctx.emit([revocationOf(row)])
      ctx.afterCommit(() => authenticator.forget())
      return { body: {} }
    },

    async rotate(ctx, { id, body }) {
      const row = await requireChangeableKey(ctx, id)
      const key = newKey(row.actor_type === 'user' ? 'personal' : 'workspace')
      const changed = await rotate(ctx, row, key, body.overlap_hours)
      await ctx.emit([{ type: 'api_key.rotated', ...about(row), payload: told(row) }])
      ctx.afterCommit(() => authenticator.forget())
      return { body: { data: withSecret(changed, key) } }
    },
  })

/** Replaces the secret of a key. Those before it stay valid as promised; without an overlap all of them end (0024). */
async function rotate(ctx: WriteContext, row: ApiKeyRow, key: string, overlapHours: number): Promise<ApiKeyRow> {
  const { workspace_id, id, key_hash } = row
  const before = await listRetired(ctx.tx, workspace_id, id)
  const until = overlapEnd(ctx.clockNow, overlapHours)
  const kept = before.filter(({ valid_until }) => valid_until > ctx.clockNow)
  const after = overlapHours === 0 ? [] : [...kept, { workspace_id, key_id: id, key_hash, valid_until: until }]
  requireFewEarlier(ctx, after)
  await replaceRetired(ctx.tx, before, after)
  const change = { key_prefix: shownPrefix(key), key_hash: hashSecret(key), updated_at: ctx.now }
  await replaceSecret(ctx.tx, { workspace_id, id, ...change })
  return { ...row, ...change }
}

type NewKey = Input<typeof apiKeys.create>['body']['data']['attributes']

function makeKey(
  ctx: WriteContext,
  { name, scopes, actor_type, expires_at }: NewKey,
): { readonly row: ApiKeyRow; readonly key: string } {
  const expiresAt = expires_at === null || expires_at === undefined ? null : Date.parse(expires_at)
  if (expiresAt !== null && expiresAt <= ctx.clockNow) {
    throw ctx.fail('invalid_body', {
      detail: 'Must be in the future.',
      source: { pointer: '/data/attributes/expires_at' },
    })
  }
  const key = newKey(actor_type === 'user' ? 'personal' : 'workspace')
  const creator = textOf(actorUserId(ctx.actor))
  const row: ApiKeyRow = {
    workspace_id: ctx.workspace.workspaceId,
    id: ctx.newId(),
    name,
    key_prefix: shownPrefix(key),
    key_hash: hashSecret(key),
    scopes,
    actor_type,
    user_id: actor_type === 'user' ? creator : null,
    created_by: creator,
    expires_at: expiresAt,
    created_at: ctx.now,
    updated_at: ctx.now,
    last_used_at: null,
  }
  return { row, key }
}

function requireAdmin(ctx: WriteContext, { role }: Membership): void {
  if (role !== 'admin') throw ctx.fail('forbidden', { detail: 'Only admins create workspace keys.' })
}

/** A key that the caller may see; another person's key answers like one that does not exist. */
function requireKey(ctx: WorkspaceReadContext, row: ApiKeyRow | undefined): ApiKeyRow {
  const view = viewOf(ctx)
  const visible =
    row !== undefined && (row.actor_type === 'user' ? row.user_id === view.userId : view.seesWorkspaceKeys)
  if (!visible) throw ctx.fail('not_found', { detail: 'There is no API key with this id.' })
  return row
}

/**
 * A key that the caller may change, and nobody else until the end of the call: a credential that is limited to scopes
 * cannot change a key that can do more.
 */
async function requireChangeableKey(ctx: WriteContext, id: string): Promise<ApiKeyRow> {
  const row = requireKey(ctx, isId(id) ? await lockKey(ctx.tx, ctx.workspace.workspaceId, id) : undefined)
  requireScopes(ctx, row.scopes)
  return row
}

function requireScopes(ctx: WriteContext, scopes: readonly string[]): void {
  if (mayHandleScopes(ctx.actor, scopes)) return
  throw ctx.fail('forbidden', {
    detail: 'The key would have more rights than your credential.',
    meta: { granted: ctx.actor.scopes },
  })
}

/** Refuses scopes with a webhook that the caller does not see: nobody grants access to it. */
async function requireWebhooks(ctx: WriteContext, scopes: readonly string[], sees: SeesWebhook): Promise<void> {
  for (const [index, scope] of scopes.entries()) {
    const webhook = webhookOfScope(scope)
    if (webhook !== undefined && !(await sees(ctx, webhook)))
      throw ctx.fail('invalid_body', {
        detail: `There is no webhook with the id ${webhook}.`,
        source: { pointer: `/data/attributes/scopes/${index}` },
      })
  }
}

type KeyResource = Output<typeof apiKeys.get>['data']
type KeyWithSecret = Output<typeof apiKeys.create>['data']

const present = presenterOf(apiKeys.get.response.shape.data)

const presentKey = (row: ApiKeyRow): KeyResource =>
  present(row, {
    actor:
      row.actor_type === 'user'
        ? { type: 'user', id: textOf(row.user_id) }
        : { type: 'workspace', id: row.workspace_id },
    on_behalf_of: null,
    hidden: false,
  })

function withSecret(row: ApiKeyRow, key: string): KeyWithSecret {
  const presented = presentKey(row)
  return { ...presented, attributes: { ...presented.attributes, cleartext_api_key: key } }
}
