import { webhooks, workspaceFiles, type Input } from '@kontor/contract'
import { say } from '../../output.ts'
import { collected } from '../workspace.ts'
import { changedOf, type Content, type Part } from './part.ts'

type NewWebhook = Input<typeof webhooks.create>['body']

const pageLimit = 100

const nameOf = ({ description, url }: Content): string => String(description || url)

/** Webhooks without their secrets; one is known by its description, or by its URL if it has none. */
export const webhooksPart: Part = {
  name: 'webhooks',
  noun: 'webhook',
  shape: workspaceFiles.webhooks,
  defaults: { filter: null, description: null, enabled: true, ordered: true, fifo: false },
  title: 'description',
  nameOf,
  list: async ({ rest, workspace }) => {
    const found = await collected(rest.all(webhooks.list, { workspace, page: { limit: pageLimit } }))
    return found.map(({ id, attributes: { url, events, filter, description, enabled, ordered, fifo } }) => {
      const content = { url, events, filter, description, enabled, ordered, fifo }
      return { id, name: nameOf(content), shownName: description || `${new URL(url).host} (${id})`, content }
    })
  },
  create: async ({ rest, workspace }, content) => {
    const { body } = await rest.call(webhooks.create, { workspace, body: content as NewWebhook })
    say(
      `The new webhook ${body.data.id} signs with a secret that is not shown here. Rotate it for one that you can ` +
        `read: POST /v1/workspaces/${workspace}/webhooks/${body.data.id}/rotate-secret with {"overlap_hours": 0}.`,
    )
  },
  update: async ({ rest, workspace }, { id }, { content, changed }) => {
    await rest.call(webhooks.update, { workspace, id, body: changedOf(content, changed) })
  },
  remove: async ({ rest, workspace }, { id }) => {
    await rest.call(webhooks.remove, { workspace, id })
  },
}
