import { isDeepStrictEqual } from 'node:util'
import { apps, attributesOf, redirectUriFault, appSortColumns, type Input } from '@kontor/contract'
import { actorUserId } from '../../../kernel/actor.ts'
import { isId } from '../../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { shortPage } from '../../../kernel/short-page.ts'
import { textOf } from '../../../lib/guards.ts'
import {
  apiScopes,
  clientsIn,
  countPeople,
  deleteClient,
  findClient,
  insertClient,
  lockClientOf,
  makeClient,
  newClientSecret,
  updateClient,
  type ClientRow,
} from '../oauth/index.ts'
import { lockRole } from '../users/index.ts'
import { eventOf, presentApp, presentWithSecret, secretIdOf } from './present.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

/** The columns that apps are sorted by. */
const columns = sortedColumns(appSortColumns)

/** The apps of a workspace (docs/decisions/0093); `onAccessEnded` is called once tokens of an app have ended. */
export const appHandlers = (onAccessEnded: () => void) =>
  implement(apps, {
    list: async (ctx, input) => ({ body: await listApps(ctx, input) }),

    async create(ctx, { body }) {
      const { name, type, redirect_uris, scopes } = attributesOf(body)
      await requireAdmin(ctx)
      const { workspaceId } = ctx.workspace
      const { row, secret } = makeClient(
        {
          name,
          type,
          redirectUris: [...new Set(redirect_uris)],
          workspaceId,
          scopes: scopes === null ? null : apiScopes(scopes),
          createdBy: textOf(actorUserId(ctx.actor)),
        },
        ctx.now,
      )
      const app = { ...row, id: ctx.newId() }
      if (!(await insertClient(ctx.tx, app)))
        throw ctx.fail('unique_violation', { detail: `The workspace already has an app named "${name}".` })
      await ctx.emit([eventOf('app.created', app)])
      return { body: { data: presentWithSecret(app, 0, secret) } }
    },

    get: async (ctx, { id }) => ({ body: { data: await presented(ctx, requireApp(ctx, await foundApp(ctx, id))) } }),

    async update(ctx, { id, body }) {
      const row = await requireChangeable(ctx, id)
      const change = changeOf(ctx, row, body)
      if (isDeepStrictEqual(change, { redirect_uris: row.redirect_uris, scopes: row.scopes }))
        return { body: { data: await presented(ctx, row) } }
      await updateClient(ctx.tx, { id, ...change })
      await ctx.emit([eventOf('app.updated', row)])
      ctx.afterCommit(onAccessEnded)
      return { body: { data: await presented(ctx, { ...row, ...change }) } }
    },

    async remove(ctx, { id }) {
      const row = await requireChangeable(ctx, id)
      await deleteClient(ctx.tx, id, ctx.clockNow)
      await ctx.emit([eventOf('app.deleted', row)])
      ctx.afterCommit(onAccessEnded)
      return { body: {} }
    },

    async rotate(ctx, { id, body: { secret_id } }) {
      const row = await requireChangeable(ctx, id)
      if (row.client_type === 'public') throw ctx.fail('invalid_body', { detail: 'A public app has no secret.' })
      if (secret_id !== undefined && secret_id !== secretIdOf(row))
        throw ctx.fail('invalid_body', {
          detail: 'The secret of the app was replaced: read the app again, and send its current `secret_id`.',
          source: { pointer: '/secret_id' },
        })
      const { secret, secret_hash } = newClientSecret()
      await updateClient(ctx.tx, { id, secret_hash })
      await ctx.emit([eventOf('app.secret_rotated', row)])
      const people = await countPeople(ctx.tx, row.workspace_id)
      return { body: { data: presentWithSecret({ ...row, secret_hash }, people.get(id) ?? 0, secret) } }
    },
  })

const sorting = { columns, otherwise: { column: 'name', descending: false } } as const

async function listApps(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof apps.list>) {
  const { workspaceId } = ctx.workspace
  const { rows, ...envelope } = await shortPage(ctx, apps.list, input, { ...sorting, read: clientsIn(workspaceId) })
  const people = await countPeople(ctx.tx, workspaceId)
  return { data: rows.map((row) => presentApp(row, people.get(row.id) ?? 0)), ...envelope }
}

/** Locks the role of an admin, so that one who is demoted meanwhile changes nothing. */
async function requireAdmin(ctx: WriteContext): Promise<void> {
  const role = await lockRole(ctx.tx, ctx.workspace.workspaceId, textOf(actorUserId(ctx.actor)))
  if (role !== 'admin')
    throw ctx.fail('not_found', { detail: 'This workspace does not exist, or you are not an admin of it.' })
}

type OwnApp = ClientRow & { readonly workspace_id: string }

/** An app of the workspace; one of another workspace is like one that does not exist. */
function requireApp(ctx: WorkspaceReadContext, row: ClientRow | undefined): OwnApp {
  const { workspaceId: workspace_id } = ctx.workspace
  if (row === undefined || row.workspace_id !== workspace_id)
    throw ctx.fail('not_found', { detail: 'There is no app with this id.' })
  return { ...row, workspace_id }
}

const foundApp = async ({ tx }: WorkspaceReadContext, id: string): Promise<ClientRow | undefined> =>
  isId(id) ? findClient(tx, id) : undefined

/** An app of the workspace, locked until the end of the call. */
async function requireChangeable(ctx: WriteContext, id: string): Promise<OwnApp> {
  await requireAdmin(ctx)
  return requireApp(ctx, isId(id) ? await lockClientOf(ctx.tx, ctx.workspace.workspaceId, id) : undefined)
}

const presented = async (ctx: WorkspaceReadContext, row: OwnApp) =>
  presentApp(row, (await countPeople(ctx.tx, row.workspace_id)).get(row.id) ?? 0)

/** Returns the columns that a body changes; the redirect URIs must fit the type of the app. */
function changeOf(
  ctx: WriteContext,
  row: ClientRow,
  body: Input<typeof apps.update>['body'],
): Pick<ClientRow, 'redirect_uris' | 'scopes'> {
  const { redirect_uris = row.redirect_uris, scopes = row.scopes } = attributesOf(body)
  for (const [index, uri] of redirect_uris.entries()) {
    const fault = redirectUriFault(uri, row.client_type)
    if (fault !== undefined)
      throw ctx.fail('invalid_body', {
        detail: `The redirect URI ${fault}`,
        source: { pointer: `${'data' in body ? '/data/attributes' : ''}/redirect_uris/${index}` },
      })
  }
  return { redirect_uris: [...new Set(redirect_uris)], scopes: scopes === null ? null : apiScopes(scopes) }
}
