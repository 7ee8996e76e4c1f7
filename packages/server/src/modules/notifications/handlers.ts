import { notifications, type Input } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import { implement, type ReadContext, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { growingPage } from '../../kernel/short-page.ts'
import { actorUserId } from '../../kernel/actor.ts'
import { getPreferences, updatePreferences, type PreferenceServices } from './preferences/service.ts'
import { presentNotifications } from './present.ts'
import { markRead, notificationsIn } from './store.ts'

const sorting = { columns: { _created_at: 'id' }, otherwise: { column: 'id', descending: true } } as const

export const notificationHandlers = (services: PreferenceServices) =>
  implement(notifications, {
    async list(ctx, input) {
      const { filter } = input
      const read = notificationsIn({ ...requirePerson(ctx), isRead: filter?.read, kind: filter?.kind })
      const { rows, ...envelope } = await growingPage(ctx, notifications.list, input, { ...sorting, read })
      return { body: { data: await presentNotifications(ctx, rows), ...envelope } }
    },

    async read(ctx, { body }) {
      await markRead(ctx.tx, requirePerson(ctx), idsIn(body), ctx.now)
      return { body: {} }
    },

    getPreferences: async (ctx) => ({ body: { data: await getPreferences(ctx.tx, services, requirePerson(ctx)) } }),

    updatePreferences: async (ctx, { body }) => ({
      body: { data: await updatePreferences(ctx, services, requirePerson(ctx), body) },
    }),
  })

/** The ids that are marked; undefined for all. What is no id names nothing. */
const idsIn = ({ items }: Input<typeof notifications.read>['body']): string[] | undefined =>
  items === 'all' ? undefined : items.filter(isId)

/** A key of the workspace is no person, and is notified of nothing. */
function requirePerson(ctx: ReadContext<'forbidden'> & Pick<WorkspaceReadContext, 'workspace'>) {
  const userId = actorUserId(ctx.actor)
  if (userId === null)
    throw ctx.fail('forbidden', { detail: 'Only people are notified: use a personal key or sign in.' })
  return { workspace_id: ctx.workspace.workspaceId, user_id: userId }
}
